import type { Reported } from './batch.ts';
import { OPERATION_TYPES, told, type Operation } from './operations.ts';
import type { Outcome, Played } from './player.ts';
import type { Finding } from './properties.ts';

/** As often is a failure made shorter whose last operation and property are the same. */
const SHRINKS_EACH = 4;

interface Group {
  count: number;
  smallest: Reported;
}

/** What came of a run: how often each operation was played, and what was found, like with like. */
export class Tally {
  histories = 0;
  invoices = 0;
  failures = 0;
  readonly ledger: Finding[] = [];
  controls = 0;
  readonly missed: string[] = [];
  private readonly outcomes = new Map<string, number>();
  private readonly groups = new Map<string, Group>();
  private readonly shrunk = new Map<string, number>();

  add(reported: Reported): void {
    const { played } = reported;
    this.histories += 1;
    this.invoices += played.invoices;
    for (const { type, outcome } of played.outcomes) this.count(type, outcome);
    if (played.findings.length === 0) return;
    this.failures += 1;
    const key = shapeOf(reported);
    const group = this.groups.get(key);
    if (!group) this.groups.set(key, { count: 1, smallest: reported });
    else {
      group.count += 1;
      if (lengthOf(reported) < lengthOf(group.smallest)) group.smallest = reported;
    }
  }

  /** Whether few failures like this one were made shorter yet. */
  isRare(played: Played): boolean {
    const key = `${played.findings[0]!.property} ${played.outcomes.at(-1)?.type} ${played.after === 'the end'}`;
    const count = this.shrunk.get(key) ?? 0;
    this.shrunk.set(key, count + 1);
    return count < SHRINKS_EACH;
  }

  get isClean(): boolean {
    return this.failures + this.ledger.length + this.missed.length === 0;
  }

  /** What was found, the most frequent first, each with its shortest history. */
  get found(): string[] {
    return [...this.groups.values()]
      .toSorted((one, other) => other.count - one.count)
      .map(({ count, smallest }) => `${count} × ${describe(smallest)}`);
  }

  get table(): string {
    const rows = OPERATION_TYPES.map((type) => {
      const of = (outcome: Outcome): string =>
        String(this.outcomes.get(`${type} ${outcome}`) ?? 0).padStart(8);
      return `${type.padEnd(16)}${of('done')}${of('refused')}${of('skipped')}`;
    });
    const head = `${'operation'.padEnd(16)}${['done', 'refused', 'skipped'].map((word) => word.padStart(8)).join('')}`;
    return [head, ...rows].join('\n');
  }

  private count(type: Operation['type'], outcome: Outcome): void {
    const key = `${type} ${outcome}`;
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1);
  }
}

/** A failure as people read it, with what replays it. */
export function describe({ number, history, played, minimal }: Reported): string {
  const shown = minimal ?? { history, played };
  const { start, operations } = shown.history;
  const steps = operations.map((operation, index) => {
    const outcome =
      shown.played.outcomes[index]?.outcome ??
      (index === shown.played.outcomes.length ? 'found here' : 'not reached');
    return `    ${index + 1}. ${told(operation)}${outcome === 'done' ? '' : ` (${outcome})`}`;
  });
  const findings = shown.played.findings.map(
    ({ property, problem, expected, actual }) =>
      `  ${property}: ${problem}\n    expected ${expected}\n    actual   ${actual}`,
  );
  const outcome = findings.length === 0 ? 'nothing wrong' : `wrong after ${shown.played.after}`;
  return [
    `history ${number}${minimal ? ', made shorter' : ''}, ${outcome}:`,
    `    0. ${shown.played.startedAt}: ${JSON.stringify(start)}`,
    ...steps,
    ...findings,
    `  replay: npm run model -- --replay '${JSON.stringify(shown.history)}'`,
  ].join('\n');
}

function lengthOf({ history, minimal }: Reported): number {
  return (minimal?.history ?? history).operations.length;
}

/** Failures alike: the same property, after the same kinds of operation. */
function shapeOf({ history, played, minimal }: Reported): string {
  const shown = minimal ?? { history, played };
  const property = shown.played.findings[0]!.property;
  if (!minimal) return `${property} (not made shorter)`;
  return [property, ...new Set(shown.history.operations.map(({ type }) => type))].join(' ');
}
