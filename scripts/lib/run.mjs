import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Run a program and wait for it. With `quiet`, its output is kept and returned; otherwise it goes to ours as it comes and is kept as well.
 * Returns { code, output, seconds }; never throws for a failing program.
 */
export function run(command, args, { quiet = false, env = {}, cwd = root } = {}) {
  const started = process.hrtime.bigint();
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const take = (stream) => (chunk) => {
      output += chunk;
      if (!quiet) stream.write(chunk);
    };
    child.stdout.setEncoding('utf8').on('data', take(process.stdout));
    child.stderr.setEncoding('utf8').on('data', take(process.stderr));
    const done = (code) => resolve({ code, output, seconds: Number(process.hrtime.bigint() - started) / 1e9 });
    child.on('error', (error) => {
      output += `${error.message}\n`;
      done(127);
    });
    child.on('close', (code, signal) => done(code ?? (signal === null ? 1 : 128)));
  });
}

/** Run a Node script of ours or of a package. */
export const runNode = (args, options) => run(process.execPath, args, options);
