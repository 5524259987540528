import { Decimal, decimalString, sumOf, type Instant } from '#libs/kernel/core';
import { fold, type RecordedEvent } from '#libs/kernel/domain';
import type { StreamReader } from '#libs/kernel/event-store';
import type { Queryable } from '#libs/kernel/postgres';
import { walletEvents, type UsageDraw, type WalletEvent } from './events.js';
import { walletDecider } from './decider.js';
import { walletId, type Wallet } from './wallet.js';
import type { WalletRowKey } from './wallet-rows.js';

const PAGE = 1_000;

/**
 * Yields the events of a wallet's stream in pages, the oldest first. `through` is the revision of the last event to yield. Without
 * `through`, all events are yielded.
 */
export async function* walletEventPages(
  streams: StreamReader,
  key: WalletRowKey,
  through?: bigint,
): AsyncGenerator<(RecordedEvent & WalletEvent)[]> {
  const stream = `${walletDecider.category}-${walletId(key.workspaceId, key)}`;
  let next = 0n;
  while (through === undefined || next <= through) {
    const left = through === undefined ? PAGE : Number(through - next) + 1;
    const page = await streams.read(stream, { fromRevision: next, maxCount: Math.min(PAGE, left) });
    if (page.length === 0) return;
    yield page as unknown as (RecordedEvent & WalletEvent)[];
    next = page.at(-1)!.revision + 1n;
  }
}

/** Tells whether an event belongs to the stream of a wallet. */
export function isWalletEvent(event: RecordedEvent): event is RecordedEvent & WalletEvent {
  return event.stream.startsWith(`${walletDecider.category}-`) && Object.hasOwn(walletEvents, event.type);
}

/** Applies a page of events to the state of a wallet. */
export function foldWalletEvents(
  state: Wallet | undefined,
  page: readonly WalletEvent[],
): Wallet | undefined {
  return fold(walletDecider, page, state);
}

/**
 * Returns the revision of the first event of each command, by command id. The revisions serve to recognize repeated commands. No client
 * repeats a settlement, so settlements are left out.
 */
export function commandRevisions(events: readonly RecordedEvent[]): ReadonlyMap<string, bigint> {
  const revisions = new Map<string, bigint>();
  const settlements = new Set<string>();
  for (const { type, metadata, revision } of events) {
    if (type === 'CreditsDrawnDown') settlements.add(metadata.commandId);
    else if (!settlements.has(metadata.commandId) && !revisions.has(metadata.commandId))
      revisions.set(metadata.commandId, revision);
  }
  return revisions;
}

/** The credits that usage was charged according to the usage log, by span number. A span is a part of the log between two positions. */
export type ChargesByLogPart = ReadonlyMap<number, readonly UsageDraw[]>;

/** Selects the charges of the usage log to sum. */
export interface ChargeSelection {
  /** The last position of the usage log to include. The default is the position of the newest event. */
  readonly through?: string;
  /** Usage that arrived after this instant of real time is left out. By default all usage is included. */
  readonly arrivedBy?: Instant;
}

/**
 * Sums the charges of a wallet in the usage log after the position `after`. `ends` lists the last position of each span, in order. Span 0
 * is the first. Charges after the last span are returned under the number `ends.length`.
 */
export async function sumChargesInLog(
  db: Queryable,
  { workspaceId, customerId, creditType }: WalletRowKey,
  after: string,
  ends: readonly string[],
  { through, arrivedBy }: ChargeSelection = {},
): Promise<ChargesByLogPart> {
  const { rows } = await db.query<{ span: number } & UsageDraw>(
    `SELECT width_bucket(e.seq - 1, $4::bigint[]) AS span, c.charge ->> 1 AS "metricId", c.charge ->> 2 AS "blockId",
       sum((c.charge ->> 3)::numeric)::text AS amount
     FROM usage.streams t
     JOIN usage.series s ON s.stream_id = t.id
     JOIN usage.events e ON e.series_id = s.id AND e.stream_id = t.id
     CROSS JOIN LATERAL jsonb_array_elements(e.charges) AS c (charge)
     WHERE t.workspace_id = $1 AND s.customer_id = $2 AND c.charge ->> 0 = $3
       AND e.charges IS NOT NULL AND e.seq > $5 AND e.seq <= $6
       AND e.recorded_at < $7::timestamptz + interval '1 millisecond'
     GROUP BY 1, 2, 3`,
    [
      workspaceId,
      customerId,
      creditType,
      ends,
      after,
      through ?? '9223372036854775807',
      arrivedBy ?? 'infinity',
    ],
  );
  const spans = new Map<number, UsageDraw[]>();
  for (const { span, ...draw } of rows) spans.set(span, [...(spans.get(span) ?? []), draw]);
  return spans;
}

/**
 * Returns the differences between two lists of draws, by metric and block. Each difference is a text with the metric and the block. An
 * example of a difference is `met_1 of blk_1: 5, and the usage log has 4`.
 */
export function drawDifferences(recorded: readonly UsageDraw[], inLog: readonly UsageDraw[]): string[] {
  const byKey = (draws: readonly UsageDraw[]) =>
    new Map(
      [...Map.groupBy(draws, ({ metricId, blockId }) => `${metricId} of ${blockId ?? 'no block'}`)].map(
        ([name, same]) => [name, sumOf(same.map(({ amount }) => amount))],
      ),
    );
  const [ours, theirs] = [byKey(recorded), byKey(inLog)];
  const nothing = new Decimal(0);
  return [...new Set([...ours.keys(), ...theirs.keys()])].sort().flatMap((name) => {
    const [own, other] = [ours.get(name) ?? nothing, theirs.get(name) ?? nothing];
    return own.eq(other)
      ? []
      : [`${name}: ${decimalString(own)}, and the usage log has ${decimalString(other)}`];
  });
}
