import { Decimal } from '#libs/kernel/core';
import type { Facts, Listed, Wallet } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { acknowledgement } from './writes.ts';

interface GrantedBlock extends Listed {
  amount: number;
  expiresAt: string | null;
}

/** Each wallet has every credit that was granted, once, less what was voided and what has expired. */
export function checkWallets({ wallets, entries, clock }: Facts): Finding[] {
  return wallets.flatMap((wallet) => {
    const path = `/v1/customers/${wallet.customerId}/wallets/`;
    const answers = (action: string) =>
      entries.flatMap((entry) => {
        const answer = acknowledgement(entry);
        return answer && entry.path.startsWith(path) && entry.path.endsWith(action) ? [answer.body] : [];
      });
    return [
      ...checkBlocks(wallet, answers('/grants') as GrantedBlock[], clock),
      ...checkVoids(wallet, answers('/void').length),
      ...checkBalance(wallet),
    ];
  });
}

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
    const left = sum(ledger.flatMap((entry) => entry.blocks.filter(({ blockId }) => blockId === id)));
    if (expiresAt !== null && expiresAt <= clock && !left.isZero())
      findings.push(wrong(`Block ${id} expired at ${expiresAt} and has ${left.toFixed()} left`));
  }
  for (const id of grants.keys())
    if (!blocks.has(id))
      findings.push(doubled(`Block ${id} is in a ledger, and was never answered to anybody`));
  return findings;
}

function checkVoids({ customerId, ledger }: Wallet, acknowledged: number): Finding[] {
  const voids = ledger.filter(({ type }) => type === 'voided').length;
  if (voids === acknowledged) return [];
  const found = voids > acknowledged ? doubled : lost;
  return [found(`The wallet of ${customerId} has ${voids} voids, in place of ${acknowledged}`)];
}

function checkBalance({ customerId, ledger, balance }: Wallet): Finding[] {
  const expected = sum(ledger);
  return expected.eq(balance)
    ? []
    : [
        wrong(
          `The wallet of ${customerId} has ${balance} credits, and its ledger comes to ${expected.toFixed()}`,
        ),
      ];
}

function sum(changes: readonly { amount: number }[]): Decimal {
  return changes.reduce((total, { amount }) => total.plus(amount), new Decimal(0));
}
