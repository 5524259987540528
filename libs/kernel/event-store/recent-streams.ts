import type { Position } from '#libs/kernel/domain';

/** What is known of a stream: its state at a revision (-1 for no stream), and the commands that wrote to it. */
export interface StreamEntry<State> {
  readonly state: State | undefined;
  readonly revision: bigint;
  readonly position: Position;
  readonly commandIds: ReadonlySet<string>;
}

/** The least recently used streams are forgotten first. An entry can be stale, but never wrong. */
export class RecentStreams {
  private readonly entries = new Map<string, StreamEntry<unknown>>();

  constructor(private readonly limit: number) {}

  get<State>(stream: string): StreamEntry<State> | undefined {
    const entry = this.entries.get(stream);
    if (!entry) return undefined;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    return entry as StreamEntry<State>;
  }

  /** Keeps the newer of what is known and what is told: answers can arrive out of order. */
  set(stream: string, entry: StreamEntry<unknown>): void {
    const known = this.entries.get(stream);
    if (known && known.revision > entry.revision) return;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value!);
  }

  delete(stream: string): void {
    this.entries.delete(stream);
  }

  clear(): void {
    this.entries.clear();
  }
}
