import { sameValues } from '../../support/same-values.ts';
import type { Answer, Entry } from '../load/journal.ts';
import { BLOCKING_CREDITS, LIMITED_EVENT_NAME } from '../load/workspace.ts';
import type { Facts, Listed } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';

/** Whether an answer acknowledges a write. */
export const isAcknowledged = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** The first answer of an entry that acknowledges it. */
export const acknowledgement = ({ answers }: Entry): Answer | undefined => answers.find(isAcknowledged);

/** What is there must be what was acknowledged: each thing once, and nothing besides. */
export function checkRecords({ records, entries }: Facts): Finding[] {
  return [...records].flatMap(([path, listed]) => {
    const acknowledged = new Map(
      entries
        .filter((entry) => entry.method === 'POST' && entry.path === path)
        .flatMap((entry) => {
          const answer = acknowledgement(entry);
          return answer ? [[(answer.body as Listed).id, entry] as const] : [];
        }),
    );
    const there = Map.groupBy(
      listed.filter(({ trigger }) => trigger !== 'schedule'),
      ({ id }) => id,
    );
    const findings: Finding[] = [];
    for (const [id, entry] of acknowledged)
      if (!there.has(id))
        findings.push(lost(`${path} ${id} was acknowledged (${named(entry)}) and is not there`));
    for (const [id, rows] of there) {
      const entry = acknowledged.get(id);
      if (!entry) findings.push(doubled(`${path} ${id} is there, and was never answered to anybody`));
      else if (rows.length > 1) findings.push(doubled(`${path} ${id} is there ${rows.length} times`));
      else if (path === '/v1/customers') findings.push(...differences(rows[0]!, entry, entries));
    }
    return findings;
  });
}

/** A customer of the load changes by the card that it is given alone, and must otherwise be read as it was answered. */
function differences(row: Listed, entry: Entry, entries: readonly Entry[]): Finding[] {
  const answered = { ...(acknowledgement(entry)!.body as Listed) };
  const card = entries.find(({ path }) => path === `/v1/customers/${row.id}/payment-methods`);
  if (card) answered['defaultPaymentMethodId'] = (acknowledgement(card)?.body as Listed | undefined)?.id;
  return sameValues(row, answered)
    ? []
    : [wrong(`Customer ${row.id} reads other than it was answered: ${JSON.stringify(row)}`)];
}

/** One key is one write: whatever is answered to its repetitions is what was answered first. */
export function checkAnswers({ entries }: Facts): Finding[] {
  return entries.flatMap((entry) => {
    const [first, ...others] = entry.answers.filter(isAcknowledged);
    if (entry.answers.length === 0) return [wrong(`${named(entry)} was never answered`)];
    // An event that was refused is not stored, so its key may be used again: the check of usage looks at each event.
    if (entry.key === undefined && entry.answers.some(isRefusal)) return [];
    return others
      .filter((other) => other.status !== first!.status || !sameValues(other.body, first!.body))
      .map(({ body }) =>
        doubled(`${named(entry)} was answered differently when repeated: ${JSON.stringify(body)}`),
      );
  });
}

const isRefusal = ({ body }: Answer): boolean =>
  ((body as { rejected?: unknown[] } | null)?.rejected ?? []).length > 0;

export interface SentEvent {
  customerId: string;
  eventName: string;
  timestamp: string;
  idempotencyKey: string;
  properties: { units: number };
}

/** What one answer said of one event of its request: the id that it was accepted under, or the code it was refused with. */
interface AnsweredEvent extends SentEvent {
  id?: string;
  code?: string;
}

interface UsageAnswer {
  accepted?: string[];
  rejected?: { index: number; code: string }[];
}

function answeredUsage(entries: readonly Entry[]): AnsweredEvent[] {
  return entries
    .filter(({ path }) => path === '/v1/events')
    .flatMap(({ body, answers }) =>
      answers.filter(isAcknowledged).flatMap((answer) => {
        const { accepted = [], rejected = [] } = answer.body as UsageAnswer;
        const codes = new Map(rejected.map(({ index, code }) => [index, code]));
        const ids = accepted.values();
        return [body as SentEvent | SentEvent[]].flat().map((event, index): AnsweredEvent => {
          const code = codes.get(index);
          if (code !== undefined) return { ...event, code };
          const { value: id } = ids.next();
          return { ...event, ...(id === undefined ? {} : { id }) };
        });
      }),
    );
}

/** Every accepted usage event by its key: as it was sent, and under which id. */
export function acceptedUsage(entries: readonly Entry[]): Map<string, SentEvent & { id: string }> {
  return new Map(
    answeredUsage(entries).flatMap((event) =>
      event.id === undefined ? [] : [[event.idempotencyKey, { ...event, id: event.id }] as const],
    ),
  );
}

/** Every usage event that was refused with this code, and never accepted. */
export function refusedUsage(entries: readonly Entry[], code: string): SentEvent[] {
  const accepted = acceptedUsage(entries);
  return answeredUsage(entries).filter((event) => event.code === code && !accepted.has(event.idempotencyKey));
}

/** The only usage that may be refused, by the code it is refused with. */
const REFUSABLE = new Map([
  ['insufficient_credits', BLOCKING_CREDITS.eventName],
  ['usage_limit_reached', LIMITED_EVENT_NAME],
]);

/** The usage log must hold what was accepted, each event once, under the id that was answered. */
export function checkUsage({ usage, entries }: Facts): Finding[] {
  const accepted = acceptedUsage(entries);
  const rows = Map.groupBy(usage, ({ key }) => key ?? 'no key');
  const findings: Finding[] = [];
  for (const { idempotencyKey: key, eventName, id, code } of answeredUsage(entries)) {
    if (code !== undefined && REFUSABLE.get(code) !== eventName)
      findings.push(wrong(`Usage ${key} was rejected: ${code}`));
    if (code === undefined && id === undefined)
      findings.push(wrong(`Usage ${key} was neither accepted nor rejected`));
    if (id !== undefined && accepted.get(key)!.id !== id)
      findings.push(doubled(`Usage ${key} was accepted as ${id} and as ${accepted.get(key)!.id}`));
  }
  for (const [key, { id, customerId, eventName, properties }] of accepted) {
    const [row, ...more] = rows.get(key) ?? [];
    if (!row) findings.push(lost(`Usage ${key} was accepted as ${id} and is not in the log`));
    else if (more.length > 0) findings.push(doubled(`Usage ${key} is in the log ${more.length + 1} times`));
    else if (
      row.id !== id ||
      row.customerId !== customerId ||
      row.eventName !== eventName ||
      row.units !== properties.units
    )
      findings.push(wrong(`Usage ${key} is in the log other than it was accepted: ${JSON.stringify(row)}`));
  }
  for (const key of rows.keys())
    if (!accepted.has(key)) findings.push(doubled(`Usage ${key} is in the log, and was never accepted`));
  return findings;
}

function named({ method, path, key, number }: Entry): string {
  return `${method} ${path} ${key === undefined ? `number ${number}` : `with key ${key}`}`;
}
