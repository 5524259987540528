import { createHmac } from 'node:crypto';
import type { Delivery, Facts } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { reachedThresholds } from './limits.ts';

/** Every event reached every webhook's list once, every delivery was attempted, and what was sent is what is listed. */
export function checkDeliveries(facts: Facts): Finding[] {
  const expected = expectedDeliveries(facts);
  return facts.workspace.endpoints.flatMap(({ receiver, secret }) => {
    const deliveries = facts.deliveries.get(receiver) ?? [];
    const arrivals = Map.groupBy(
      facts.arrivals.filter((arrival) => arrival.receiver === receiver),
      ({ deliveryId }) => deliveryId,
    );
    const listed = new Map<string, number>();
    for (const { event, payload } of deliveries) {
      const what = `${event} ${subjectOf(event, payload.data)}`;
      listed.set(what, (listed.get(what) ?? 0) + 1);
    }
    const findings: Finding[] = [];
    for (const [what, times] of expected) {
      const found = listed.get(what) ?? 0;
      const text = `${receiver}: ${what} is listed ${found} times, in place of ${times}`;
      if (found !== times) findings.push((found > times ? doubled : lost)(text));
    }
    for (const what of listed.keys())
      if (!expected.has(what)) findings.push(doubled(`${receiver}: ${what} is listed and did not happen`));
    for (const delivery of deliveries)
      findings.push(...checkDelivery(delivery, arrivals, receiver, facts.clock));
    for (const { body, headers, deliveryId } of [...arrivals.values()].flat()) {
      const signed = `${String(headers['x-service-timestamp'])}.${body}`;
      if (headers['x-service-signature'] !== createHmac('sha256', secret).update(signed).digest('hex'))
        findings.push(wrong(`${receiver}: delivery ${deliveryId} carries a wrong signature`));
    }
    return findings;
  });
}

function checkDelivery(
  { id, status, attempts, nextAttemptAt }: Delivery,
  arrivals: ReadonlyMap<string, Facts['arrivals']>,
  receiver: string,
  clock: string,
): Finding[] {
  const came = arrivals.get(id) ?? [];
  const findings: Finding[] = [];
  if (attempts.length === 0) findings.push(lost(`${receiver}: delivery ${id} was never attempted`));
  if (new Set(came.map(({ body }) => body)).size > 1)
    findings.push(wrong(`${receiver}: delivery ${id} was sent with different bodies`));
  if (status === 'failed') findings.push(lost(`${receiver}: delivery ${id} was given up`));
  if (status === 'delivered' && !came.some(({ acknowledged }) => acknowledged))
    findings.push(lost(`${receiver}: delivery ${id} counts as delivered and was never acknowledged`));
  if (status === 'pending' && attempts.length > 0 && isForgotten(nextAttemptAt, clock))
    findings.push(
      lost(`${receiver}: delivery ${id} is due since ${nextAttemptAt} and was not attempted again`),
    );
  return findings;
}

/** Retries follow the sandbox's clock, which stands still while the facts are gathered. */
function isForgotten(nextAttemptAt: string | null, clock: string): boolean {
  return nextAttemptAt === null || nextAttemptAt <= clock;
}

/** What a message is about, which is told once. */
function subjectOf(event: string, data: Record<string, unknown>): string {
  const parts = event === 'usage.limit' ? ['limitId', 'customerId', 'windowStart', 'threshold'] : ['id'];
  return parts.map((part) => String(data[part])).join(' ');
}

/** What the webhooks of a workspace must be told, and how often. */
function expectedDeliveries({
  subscriptions,
  invoices,
  wallets,
  entries,
  workspace,
}: Facts): Map<string, number> {
  const expected = new Map(subscriptions.map(({ id }) => [`subscription.created ${id}`, 1]));
  for (const { id, status, attempts } of invoices) {
    expected.set(`invoice.created ${id}`, 1);
    if (status === 'paid') expected.set(`invoice.paid ${id}`, 1);
    if (status === 'void') expected.set(`invoice.voided ${id}`, 1);
    const failed = attempts.filter((attempt) => attempt.status === 'failed').length;
    if (failed > 0) expected.set(`invoice.payment_failed ${id}`, failed);
  }
  for (const { type, blocks } of wallets.flatMap(({ ledger }) => ledger))
    if (type === 'purchased') expected.set(`credit.purchase_activated ${blocks[0]!.blockId}`, 1);
  for (const reached of reachedThresholds(entries, workspace))
    expected.set(`usage.limit ${subjectOf('usage.limit', reached)}`, 1);
  return expected;
}

/** Nothing that the sagas had to do was given up or left lying, and the clock is where it was moved to. */
export function checkTasks({ tasks, clock, entries }: Facts): Finding[] {
  const findings = tasks.flatMap(({ name, status, isOverdue, error }) => {
    const why = error === null ? '' : `: ${error}`;
    if (status === 'failed') return [lost(`The task ${name} was given up${why}`)];
    return isOverdue ? [lost(`The task ${name} is ${status} though it is long due${why}`)] : [];
  });
  const moved = entries
    .filter(
      ({ path, answers }) => path.endsWith('/clock/advance') && answers.some(({ status }) => status === 200),
    )
    .map(({ body }) => (body as { to: string }).to)
    .sort();
  const last = moved.at(-1);
  if (last !== undefined && last !== clock)
    findings.push(lost(`The clock was moved to ${last} and stands at ${clock}`));
  return findings;
}
