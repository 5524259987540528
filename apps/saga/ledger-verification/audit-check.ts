import { isDeepStrictEqual } from 'node:util';
import {
  CHAIN_START,
  linkHash,
  nextLink,
  type ChainLinkOfEntry,
  type ChainLink,
  type RecordedAnchor,
} from '#libs/contexts/audit';
import { omit, parseJson } from '#libs/kernel/core';
import type { Position, RecordedEvent } from '#libs/kernel/domain';
import { auditEntryOf, type AuditEntry, type AuditRow } from '#projections/audit';
import type { LastAuditEntry, LedgerDifference } from '#libs/outputs/books';
import { differencesText, fieldDifferences } from './difference.js';
import type { PeekableSequence } from './peekable-sequence.js';

/** A series of consecutive items that have the same problem, with the first item and their number. */
interface ProblemRun<T> {
  readonly first: T;
  readonly count: number;
}

/**
 * Compares three sources: the hash chain computed from the events, the rows of the audit trail, and the anchors.
 * Call `check` once for each audit entry, in order, with the event of the entry.
 */
export class AuditCheck {
  /** The number of entries that were compared with their rows, or that must not have a row yet. */
  entryCount = 0;
  anchorCount = 0;
  /** The newest link of the chain, computed from the events. */
  newestLink: ChainLink = CHAIN_START;
  /** The newest entry that was counted; undefined if there is none. */
  lastEntry: LastAuditEntry | undefined;
  /** The position of the last checked event. */
  private position: Position = -1n;
  private lastAnchor = CHAIN_START;
  /**
   * The link of the previous row. Each row is also compared with this link, so that an error in one row is not reported again for the next
   * row.
   */
  private rowBefore = CHAIN_START;
  private found: LedgerDifference[] = [];
  private missingRows: ProblemRun<{ event: RecordedEvent; sequence: number }> | undefined;
  private rowsWithoutEvent: ProblemRun<AuditRow> | undefined;

  /**
   * @param rowsUpTo the position of the last event that must have a row
   * @param workspaceId the only workspace whose entries are compared with their rows; undefined for all. The chain covers all workspaces.
   */
  constructor(
    private readonly rows: PeekableSequence<AuditRow>,
    private readonly anchors: PeekableSequence<RecordedAnchor>,
    private readonly rowsUpTo: Position,
    private readonly workspaceId?: string,
  ) {}

  /** Checks the next audit entry, whose event is given. Returns the differences found since the last call. */
  async check(event: RecordedEvent): Promise<LedgerDifference[]> {
    await this.checkAnchors(event.position - 1n);
    const link = nextLink(this.newestLink, event);
    this.newestLink = link;
    this.position = event.position;
    if (this.isCompared(event.metadata.workspaceId)) {
      this.entryCount += 1;
      this.lastEntry = { id: event.id, sequence: link.sequence, hash: link.hash };
    }
    if (event.position <= this.rowsUpTo) await this.checkRow(event, link);
    await this.checkAnchors(event.position);
    return this.takeFound();
  }

  /** Call `finish` after the log was read up to `head`. Returns the rows and anchors that have no event in the log. */
  async finish(head: Position): Promise<LedgerDifference[]> {
    for (let row = await this.rows.peek(); row; row = await this.rows.peek()) this.addRowWithoutEvent(row);
    this.reportRuns(true);
    for (let anchor = await this.anchors.peek(); anchor; anchor = await this.anchors.peek()) {
      // A later anchor is about entries that were added after the check began.
      if (anchor.position > head) break;
      this.anchors.removePeeked();
      this.found.push({
        position: BigInt(anchor.data.position),
        subject: anchorName(anchor),
        problem: `the log ends at entry ${this.newestLink.sequence}, before the entry of this anchor`,
      });
    }
    return this.takeFound();
  }

  private takeFound(): LedgerDifference[] {
    if (this.found.length === 0) return [];
    const { found } = this;
    this.found = [];
    return found;
  }

  /** Checks the anchors of entries up to `position`. Each anchor must have the entry number and the hash of the computed chain. */
  private async checkAnchors(position: Position): Promise<void> {
    for (let anchor = await this.anchors.peek(); anchor; anchor = await this.anchors.peek()) {
      const { sequence, hash, position: at } = anchor.data;
      if (BigInt(at) > position) return;
      this.anchors.removePeeked();
      this.anchorCount += 1;
      if (
        BigInt(at) !== this.position ||
        sequence !== this.newestLink.sequence ||
        hash !== this.newestLink.hash
      )
        this.found.push({
          position: BigInt(at),
          subject: anchorName(anchor),
          problem:
            `does not fit the events: one of entries ${this.lastAnchor.sequence + 1} to ${sequence} was changed, ` +
            'added or removed since, or the anchor was',
        });
      // The check continues from the anchored link, so that it also finds later differences.
      this.newestLink = this.lastAnchor = { sequence, hash };
    }
  }

  private async checkRow(event: RecordedEvent, link: ChainLinkOfEntry): Promise<void> {
    let row = await this.rows.peek();
    for (; row && BigInt(row.position) < event.position; row = await this.rows.peek())
      this.addRowWithoutEvent(row);
    const isCompared = this.isCompared(event.metadata.workspaceId);
    if (!row || BigInt(row.position) > event.position) {
      if (!isCompared) return;
      this.missingRows = extendRun(this.missingRows, { event, sequence: link.sequence });
      return;
    }
    if (this.workspaceId !== undefined && row.workspaceId !== event.metadata.workspaceId) {
      // The row is in the trail of another workspace, which must not be named.
      this.addRowWithoutEvent(row);
      if (isCompared) this.missingRows = extendRun(this.missingRows, { event, sequence: link.sequence });
      return;
    }
    this.rows.removePeeked();
    if (!isCompared) {
      this.rowBefore = linkOf(row);
      return;
    }
    this.reportRuns(false);
    const problems = this.problemsOf(row, event, link);
    if (problems.length > 0)
      this.found.push({ position: event.position, subject: entryName(row), problem: problems.join('; ') });
  }

  private problemsOf(row: AuditRow, event: RecordedEvent, link: ChainLinkOfEntry): string[] {
    const before = this.rowBefore;
    const { sequence, hash } = (this.rowBefore = linkOf(row));
    const problems = rowProblems(row, event);
    if (row.digest !== link.digest)
      problems.push(`the event (${event.type} of ${event.stream}) is not the one that it was made of`);
    if (sequence !== link.sequence && sequence !== before.sequence + 1)
      problems.push(`its number must be ${link.sequence}`);
    if (hash !== link.hash && hash !== linkHash(before.hash, row.digest))
      problems.push('its hash does not follow from the entry before it');
    return problems;
  }

  /** Stores a row whose position in the log has no matching event, to report it later. */
  private addRowWithoutEvent(row: AuditRow): void {
    this.rows.removePeeked();
    this.rowBefore = linkOf(row);
    if (!this.isCompared(row.workspaceId)) return;
    this.rowsWithoutEvent = extendRun(this.rowsWithoutEvent, row);
  }

  private isCompared(workspaceId: string): boolean {
    return this.workspaceId === undefined || workspaceId === this.workspaceId;
  }

  private reportRuns(atTheEnd: boolean): void {
    const { missingRows: missing, rowsWithoutEvent: unfounded } = this;
    this.missingRows = this.rowsWithoutEvent = undefined;
    if (missing) {
      const { event, sequence } = missing.first;
      this.found.push({
        position: event.position,
        subject: `audit entry ${sequence} (${event.type} of ${event.stream})`,
        problem: `missing${andMore(missing)}${atTheEnd ? ': the trail was cut off' : ''}`,
      });
    }
    if (unfounded)
      this.found.push({
        position: BigInt(unfounded.first.position),
        subject: entryName(unfounded.first),
        problem: `the log has no event for it at its place${andMore(unfounded)}`,
      });
  }
}

/** Returns the fields in which a row differs from the audit entry of its event. */
function rowProblems(row: AuditRow, event: RecordedEvent): string[] {
  try {
    const entry = auditEntryOf(event)!;
    const shown: AuditEntry = omit(row, ['sequence', 'digest', 'hash']);
    if (isDeepStrictEqual(entry, shown)) return [];
    return [differencesText(fieldDifferences(withParsedData(entry), withParsedData(shown)))];
  } catch (error) {
    return [`its entry cannot be computed: ${(error as Error).message}`];
  }
}

/** Returns the entry with its data parsed from JSON, so that a difference in a single field can be named. */
function withParsedData(entry: AuditEntry): object {
  return { ...entry, data: parseJson(entry.data) };
}

function linkOf({ sequence, hash }: AuditRow): ChainLink {
  return { sequence: Number(sequence), hash };
}

function extendRun<T>(run: ProblemRun<T> | undefined, item: T): ProblemRun<T> {
  return { first: run?.first ?? item, count: (run?.count ?? 0) + 1 };
}

function andMore({ count }: ProblemRun<unknown>): string {
  return count === 1 ? '' : `, and so with the ${count - 1} after it`;
}

function entryName({ sequence, action, resourceId }: AuditRow): string {
  return `audit entry ${sequence} (${action} ${resourceId})`;
}

function anchorName({ data, metadata }: RecordedAnchor): string {
  return `audit anchor of entry ${data.sequence} (made at ${metadata.occurredAt})`;
}
