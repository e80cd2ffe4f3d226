import type { BashHost, RunAnswer, RunRequest } from './language/host';
import type { PlaceRef } from './place';

/** Messages between a page and its shell worker. Every message to the worker tells the simulated clock. */
export type ToShell =
  | {
      readonly type: 'exec';
      readonly id: number;
      readonly place: PlaceRef;
      readonly line: string;
      readonly nowUs: number;
    }
  | { readonly type: 'abort'; readonly id: number }
  | {
      readonly type: 'answer';
      readonly call: number;
      readonly nowUs: number;
      readonly result:
        | { readonly ok: true; readonly value: RunAnswer | undefined }
        | { readonly ok: false; readonly message: string };
    };

export type FromShell =
  | { readonly type: 'call'; readonly call: number; readonly run?: RunRequest; readonly advanceUs?: number }
  | {
      readonly type: 'out';
      readonly id: number;
      readonly text: string;
      readonly kind: 'out' | 'err';
      readonly seqs: readonly number[] | number;
    }
  | { readonly type: 'done'; readonly id: number; readonly exit: number };

/** What the worker's shells call: each call goes to the page and waits for its answer. */
export class RemoteHost implements BashHost {
  private readonly waiting = new Map<
    number,
    { resolve: (v: RunAnswer | undefined) => void; reject: (e: Error) => void }
  >();
  private nextCall = 1;
  private clockUs = 0;

  constructor(private readonly send: (m: FromShell) => void) {}

  nowUs(): number {
    return this.clockUs;
  }
  setClock(us: number): void {
    this.clockUs = us;
  }
  async run(request: RunRequest): Promise<RunAnswer> {
    return (await this.call({ run: request })) as RunAnswer;
  }
  async advance(us: number): Promise<void> {
    await this.call({ advanceUs: us });
  }

  answer(m: Extract<ToShell, { type: 'answer' }>): void {
    const w = this.waiting.get(m.call);
    this.waiting.delete(m.call);
    this.clockUs = m.nowUs;
    if (m.result.ok) w?.resolve(m.result.value);
    else w?.reject(new Error(m.result.message));
  }

  private call(what: { readonly run?: RunRequest; readonly advanceUs?: number }): Promise<RunAnswer | undefined> {
    const call = this.nextCall++;
    return new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve, reject });
      this.send({ type: 'call', call, ...what });
    });
  }
}
