import { type RefCallback, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** Whether a media query holds now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}

export const usePhone = (): boolean => useMedia('(max-width: 899px)');
/** Between a phone and a desk there is one side column instead of two. */
export const useNarrow = (): boolean => useMedia('(max-width: 1319px)');
export const useReducedMotion = (): boolean => useMedia('(prefers-reduced-motion: reduce)');

/** Content size of an element, kept up to date; give the first value to the element as its ref. */
export function useSize<E extends HTMLElement>(): [RefCallback<E>, { width: number; height: number }] {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const ref = useCallback((el: E | null) => {
    if (el === null) return;
    const read = (): void =>
      setSize((was) => {
        const { clientWidth: width, clientHeight: height } = el;
        return was.width === width && was.height === height ? was : { width, height };
      });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(el);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

/** Reads a small setting; where storage is forbidden there is none. */
export function readSetting(key: string): string | undefined {
  try {
    return window.localStorage.getItem(`conntrail.${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a small setting; false where storage is forbidden or full. */
export function keepSetting(key: string, value: string): boolean {
  try {
    window.localStorage.setItem(`conntrail.${key}`, value);
    return true;
  } catch {
    return false;
  }
}

/** A setting that survives the page where it may. */
export function useSetting(key: string, initial: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => readSetting(key) ?? initial);
  return [
    value,
    (next) => {
      setValue(next);
      keepSetting(key, next);
    },
  ];
}

/** For areas that scroll: the keyboard must reach them. */
export const REACHABLE = { tabIndex: 0 } as const;

/** Calls `handler` for keys of the whole document while the component is there. */
export function useDocumentKeys(handler: (event: KeyboardEvent) => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => latest.current(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
