import { describe, expect, test } from 'vitest';
import { easeTravel, fitText, joined, lengthOf, pathOf, pointAt, pt } from './geometry';
import { cutLine } from './map-picture';

describe('lines with round corners', () => {
  const line = [pt(0, 0), pt(100, 0), pt(100, 50)];
  test('a bend is a quarter circle of the radius', () => {
    expect(pathOf(line)).toBe('M0 0L90 0Q100 0 100 10L100 50');
  });
  test('a short side takes a smaller radius', () => {
    expect(pathOf([pt(0, 0), pt(4, 0), pt(4, 50), pt(60, 50)])).toBe('M0 0L0 0Q4 0 4 4L4 40Q4 50 14 50L60 50');
  });
  test('joining drops repeated points and points inside a straight run, but keeps a way back', () => {
    expect(joined([pt(0, 0), pt(10, 0)], [pt(10, 0), pt(30, 0)], [pt(30, 0), pt(20, 0)])).toEqual([
      pt(0, 0),
      pt(30, 0),
      pt(20, 0),
    ]);
  });
  test('a point moves by arc length, from end to end', () => {
    expect(pointAt(line, 0)).toEqual(pt(0, 0));
    expect(pointAt(line, 1)).toEqual(pt(100, 50));
    const half = pointAt(line, 0.5);
    expect(half.x).toBeCloseTo(lengthOf(line) / 2, 0);
    expect(half.y).toBe(0);
  });
  test('a cut line ends where the part ends', () => {
    expect(cutLine(line, 0.5)).toEqual([pt(0, 0), pt(75, 0)]);
    expect(cutLine(line, 1)).toEqual(line);
  });
});

describe('travel', () => {
  test('starts and ends at rest and never goes back', () => {
    expect([easeTravel(0), easeTravel(1), easeTravel(2)]).toEqual([0, 1, 1]);
    const steps = Array.from({ length: 21 }, (_, i) => easeTravel(i / 20));
    expect(steps.every((v, i) => i === 0 || v > (steps[i - 1] ?? 0))).toBe(true);
  });
});

describe('text that must fit', () => {
  test('is cut with an ellipsis only where it is too long', () => {
    expect(fitText('10.244.1.100', 90, true)).toBe('10.244.1.100');
    expect(fitText('KUBE-SVC-LOLE4ISW44XBNF3G', 100, true)).toBe('KUBE-SVC-LOL…');
  });
});
