import { Decimal } from '#libs/kernel/core';
import type { Entry } from '../load/journal.ts';
import type { Facts, Listed, Wallet, WalletEntry } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { sumOfAmounts } from './money.ts';
import { acceptedUsage, acknowledgement, refusedUsage, type SentEvent } from './writes.ts';

interface GrantedBlock extends Listed {
  amount: number;
  expiresAt: string | null;
}

/**
 * Each wallet has every credit that was granted, once, less what was voided, what has expired, and what accepted usage has drawn. What
 * was bought is for another check.
 */
export function checkWallets({ wallets, entries, clock }: Facts): Finding[] {
  const accepted = [...acceptedUsage(entries).values()];
  const refused = refusedUsage(entries, 'insufficient_credits');
  return wallets.flatMap((wallet) => {
    const path = pathOf(wallet);
    const answers = (action: string) =>
      entries.flatMap((entry) => {
        const answer = acknowledgement(entry);
        return answer && entry.path === `${path}/${action}` ? [answer.body] : [];
      });
    const own = ofWallet(wallet);
    return [
      ...checkBlocks(wallet, answers('grants') as GrantedBlock[], clock),
      ...checkVoids(wallet, answers('void').length),
      ...checkDraws(wallet, accepted.filter(own)),
      ...checkRefusals(wallet, refused.filter(own), expiringBlocks(entries)),
      ...checkBalance(wallet),
    ];
  });
}

const pathOf = ({ customerId, credits }: Wallet): string =>
  `/v1/customers/${customerId}/wallets/${credits.type}`;

const ofWallet =
  ({ customerId, credits }: Wallet) =>
  (event: SentEvent): boolean =>
    event.customerId === customerId && event.eventName === credits.eventName;

function checkBlocks({ ledger }: Wallet, granted: readonly GrantedBlock[], clock: string): Finding[] {
  const blocks = new Map(granted.map((block) => [block.id, block]));
  const grants = Map.groupBy(
    ledger.filter(({ type }) => type === 'granted'),
    (entry) => entry.blocks[0]!.blockId,
  );
  const findings: Finding[] = [];
  for (const { id, amount, expiresAt } of blocks.values()) {
    const [grant, ...more] = grants.get(id) ?? [];
    if (!grant) findings.push(lost(`Block ${id} was acknowledged and is not in the ledger of its wallet`));
    else if (more.length > 0) findings.push(doubled(`Block ${id} was granted ${more.length + 1} times`));
    else if (grant.amount !== amount)
      findings.push(wrong(`Block ${id} over ${amount} is in the ledger with ${grant.amount}`));
    const left = leftOf(id, ledger);
    if (expiresAt !== null && expiresAt <= clock && !left.isZero())
      findings.push(wrong(`Block ${id} expired at ${expiresAt} and has ${left.toFixed()} left`));
  }
  for (const id of grants.keys())
    if (!blocks.has(id))
      findings.push(doubled(`Block ${id} is in a ledger, and was never answered to anybody`));
  return findings;
}

function checkVoids(wallet: Wallet, acknowledged: number): Finding[] {
  const voids = wallet.ledger.filter(({ type }) => type === 'voided').length;
  if (voids === acknowledged) return [];
  const found = voids > acknowledged ? doubled : lost;
  return [found(`The wallet ${pathOf(wallet)} has ${voids} voids, in place of ${acknowledged}`)];
}

/** Accepted usage has drawn its credits once, from blocks that had them. Only where usage is billed too, it may find none. */
function checkDraws(wallet: Wallet, accepted: readonly SentEvent[]): Finding[] {
  const { ledger, credits } = wallet;
  const drawn = ledger.filter(({ type }) => type === 'drawn_down');
  const lacked = drawn.reduce((sum, { overage }) => sum.plus(overage), new Decimal(0));
  const found = lacked.minus(sumOfAmounts(drawn));
  const expected = accepted.reduce((sum, event) => sum.plus(costOf(event, wallet)), new Decimal(0));
  const findings: Finding[] = [];
  if (!found.eq(expected))
    findings.push(
      (found.gt(expected) ? doubled : lost)(
        `The wallet ${pathOf(wallet)} has drawn ${found.toFixed()} credits, and accepted usage costs ${expected.toFixed()}`,
      ),
    );
  if (credits.overage === 'block' && !lacked.isZero())
    findings.push(wrong(`The wallet ${pathOf(wallet)} lacked ${lacked.toFixed()} credits for usage`));
  for (const { id, balance } of ledger)
    if (balance < 0) findings.push(wrong(`Entry ${id} of ${pathOf(wallet)} leaves ${balance}, below zero`));
  for (const id of new Set(ledger.flatMap(({ blocks }) => blocks.map(({ blockId }) => blockId))))
    if (leftOf(id, ledger).isNegative())
      findings.push(doubled(`More was taken from block ${id} of ${pathOf(wallet)} than it has`));
  return findings;
}

/**
 * Usage is refused if the credits do not cover it. A block that was there before the month of the usage, and that has enough left now, had
 * enough then.
 */
function checkRefusals(
  wallet: Wallet,
  refused: readonly SentEvent[],
  expiring: ReadonlySet<string>,
): Finding[] {
  const lasting = wallet.ledger.filter(
    ({ type, blocks }) => (type === 'granted' || type === 'purchased') && !expiring.has(blocks[0]!.blockId),
  );
  return refused.flatMap((event) => {
    const month = `${event.timestamp.slice(0, 7)}-01T00:00:00.000Z`;
    const left = lasting
      .filter(({ createdAt }) => createdAt < month)
      .reduce((sum, { blocks }) => sum.plus(leftOf(blocks[0]!.blockId, wallet.ledger)), new Decimal(0));
    return left.lt(costOf(event, wallet))
      ? []
      : [
          wrong(
            `Usage ${event.idempotencyKey} was refused, and ${left.toFixed()} credits of before are left in ${pathOf(wallet)}`,
          ),
        ];
  });
}

/** The blocks that were granted for a time. */
function expiringBlocks(entries: readonly Entry[]): Set<string> {
  return new Set(
    entries.flatMap((entry) => {
      const block = acknowledgement(entry)?.body as GrantedBlock | undefined;
      return block && entry.path.endsWith('/grants') && block.expiresAt !== null ? [block.id] : [];
    }),
  );
}

function checkBalance(wallet: Wallet): Finding[] {
  const { ledger, balance } = wallet;
  const expected = sumOfAmounts(ledger);
  return expected.eq(balance)
    ? []
    : [
        wrong(
          `The wallet ${pathOf(wallet)} has ${balance} credits, and its ledger comes to ${expected.toFixed()}`,
        ),
      ];
}

function costOf({ properties }: SentEvent, { credits }: Wallet): Decimal {
  return new Decimal(properties.units).times(credits.creditsPerUnit);
}

/** What all entries together leave of a block. */
function leftOf(id: string, ledger: readonly WalletEntry[]): Decimal {
  return sumOfAmounts(ledger.flatMap(({ blocks }) => blocks.filter(({ blockId }) => blockId === id)));
}
