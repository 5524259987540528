import pg from 'pg';

/** A statement as the product has sent it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether its connection keeps it prepared. */
  readonly isPrepared: boolean;
  /** What was being done, for people. */
  readonly occasion: string;
}

const READS_OR_WRITES = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i;
/** They wait for others, or keep others waiting. */
const LOCKS = /pg_(try_)?advisory/;
/** With how many different values a statement is looked at. */
const MAX_VALUES = 8;

/** Notes what every connection of this process sends to Postgres, until it is stopped. */
export class Recorder {
  /** What is being done now. */
  occasion = '';
  /** While it is true nothing is noted. */
  isPaused = false;
  private readonly heard = new Map<string, Map<string, Statement>>();
  private readonly original = pg.Client.prototype.query;

  constructor() {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the patched method has a `this` of its own
    const recorder = this;
    const { original } = this;
    pg.Client.prototype.query = function (this: pg.Client, ...sent: unknown[]): unknown {
      recorder.note(sent);
      return (original as (...given: unknown[]) => unknown).apply(this, sent);
    } as typeof original;
  }

  stop(): void {
    pg.Client.prototype.query = this.original;
  }

  get statements(): Statement[] {
    return [...this.heard.values()].flatMap((ofText) => [...ofText.values()]);
  }

  private note([first, second]: unknown[]): void {
    if (this.isPaused) return;
    const config = (typeof first === 'string' ? { text: first } : first) as Partial<pg.QueryConfig>;
    const { text, name, values = Array.isArray(second) ? second : [] } = config;
    if (typeof text !== 'string' || !READS_OR_WRITES.test(text) || LOCKS.test(text)) return;
    const ofText = this.heard.get(text) ?? new Map<string, Statement>();
    this.heard.set(text, ofText);
    const key = JSON.stringify(
      values.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value)),
    );
    if (ofText.size < MAX_VALUES && !ofText.has(key))
      ofText.set(key, { text, values, isPrepared: name !== undefined, occasion: this.occasion });
  }
}
