import { Decimal } from 'decimal.js';
import type { Random } from './random.ts';
import { expectStatus, repetitions, type Extent } from './sending.ts';
import type { Workspace } from './workspace.ts';

interface Owed {
  readonly id: string;
  readonly amountDue: number;
}

/** The first transfer of an invoice, of a part of it. */
const PART = 2.5;
/** The code of the answer to a reversal that was made before, for a client that did not get its answer. */
export const REVERSED = 'payment_reversed';

/**
 * A customer pays an invoice by transfer: a part of it, which bounces or not, and then the rest. Each request may be sent again.
 */
export async function payByTransfer(
  { client, name }: Workspace,
  { id, amountDue }: Owed,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  const path = `/v1/invoices/${id}/payments`;
  const transfer = (which: string, amount: number) =>
    expectStatus(
      201,
      client.post(path, { amount, method: 'bank_transfer' }, `${name}/transfer-${id}-${which}`, again()),
    );
  const { body } = await transfer('part', PART);
  const { payments } = body as { payments: { id: string }[] };
  const bounces = random.chance(0.5);
  if (bounces)
    await expectStatus(200, client.delete(`${path}/${payments[0]!.id}`, { reason: 'Bounced' }, again()), [
      REVERSED,
    ]);
  await transfer('rest', bounces ? amountDue : restAfterPart(amountDue));
}

/** The rest of an amount due after the first transfer. Numbers of JavaScript would give 127.69999999999999 for 130.2, which is refused. */
export function restAfterPart(amountDue: number): number {
  return new Decimal(amountDue).minus(PART).toNumber();
}
