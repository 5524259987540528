import type { LedgerDifference, LedgerVerification, VerificationObserver } from '#libs/outputs/books';
import { SourceUnreachable, verifyLedger } from '#apps/saga';
import { UnreadableEvent } from '#libs/kernel/event-store';
import { CliError } from '../../cli-error.js';
import { startProgress, type Progress } from '../../progress.js';
import { readSettingsWithServerUrls } from '../../start/running-instance.js';
import { countWithNoun } from '../../wording.js';

const CONNECTIONS = 8;

/** What is verified, and how much of it is printed. */
export interface PrintedVerification {
  /** The largest number of differences that are printed; all are counted. */
  readonly max: number;
  /** The only workspace that is verified; undefined for all workspaces. */
  readonly workspaceId?: string;
}

/**
 * Verifies the ledger and prints the result, with a progress bar on the standard error output. Returns true if there are no differences.
 * Throws a {@link CliError} if the database or the event store cannot be reached, if the workspace has no events, or if an event of another
 * workspace cannot be read.
 */
export async function printVerification(
  { max, workspaceId }: PrintedVerification,
  env = process.env,
): Promise<boolean> {
  const { databaseUrl, eventStoreUrl } = await readSettingsWithServerUrls(env);
  const began = performance.now();
  const printer = new DifferencePrinter(max);
  const verification = await verifyLedger(
    { databaseUrl, eventStoreUrl, connections: CONNECTIONS, readsInThread: false, workspaceId },
    printer,
  )
    .catch((error: unknown) => {
      if (error instanceof SourceUnreachable) throw unreachable(error);
      // Only the verification of one workspace throws it, about an event of another one.
      if (error instanceof UnreadableEvent)
        throw new CliError(`${error.message}; the verification needs the events of all workspaces`);
      throw error;
    })
    .finally(() => printer.stop());
  if (workspaceId !== undefined && verification.eventCount === 0)
    throw new CliError(`The event store has no event of the workspace "${workspaceId}"`);
  const more = printer.count - max;
  if (more > 0) process.stdout.write(`… and ${countWithNoun(more, 'more difference')}\n`);
  process.stdout.write(summaryOf(verification, (performance.now() - began) / 1_000));
  return printer.count === 0;
}

/** Prints the first differences above a progress bar, and counts all. */
class DifferencePrinter implements VerificationObserver {
  count = 0;
  private progress: Progress | undefined;

  constructor(private readonly max: number) {}

  begin(head: bigint): void {
    this.progress = startProgress(Math.max(0, Number(head)), 'events', process.stderr);
  }

  reach(position: bigint, eventCount: number): void {
    this.progress?.update(Number(position), eventCount);
  }

  find({ position, subject, problem }: LedgerDifference): void {
    this.count += 1;
    if (this.count > this.max) return;
    this.progress?.interrupt(() =>
      process.stdout.write(`position ${position ?? '–'}  ${subject}: ${problem}\n`),
    );
  }

  stop(): void {
    this.progress?.stop();
  }
}

function unreachable({ message, source }: SourceUnreachable): CliError {
  return new CliError(`${message}; check ${source === 'database' ? 'DATABASE_URL' : 'EVENTSTORE_URL'}`);
}

function summaryOf(verification: LedgerVerification, seconds: number): string {
  const { head, readModelPosition, eventCount, newestLink, differenceCount } = verification;
  if (head === undefined && differenceCount === 0) return 'The log is empty, and so are the read models\n';
  const { invoiceCount, auditEntryCount, anchorCount } = verification;
  const lines = [
    `${countWithNoun(eventCount, 'event')} read, to position ${head}, in ${seconds.toFixed(1)} s: ${countWithNoun(invoiceCount, 'invoice')}, ` +
      `${countWithNoun(auditEntryCount, 'audit entry', 'audit entries')}, ${countWithNoun(anchorCount, 'anchor')}`,
  ];
  if (head !== undefined && readModelPosition < head)
    lines.push(
      `The read models have reached position ${readModelPosition}: they were compared with the events up to there`,
    );
  if (newestLink.sequence > 0)
    lines.push(`The audit trail ends with entry ${newestLink.sequence}, hash ${newestLink.hash}`);
  lines.push(
    differenceCount === 0
      ? 'Everything agrees with the events'
      : `${countWithNoun(differenceCount, 'difference')} found`,
  );
  return `${lines.join('\n')}\n`;
}
