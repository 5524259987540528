import { TOP_UP } from '../load/workspace.ts';
import type { Facts, Invoice, Wallet, WalletEntry } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { acknowledgement } from './writes.ts';

/** A purchase as it was answered. */
interface Purchase {
  id: string;
  customerId: string;
  creditType: string;
  credits: number;
  invoice: { id: string };
}

/** Each purchase has one invoice. Its credits are there once if that was paid, and not if it was voided or is open. */
export function checkPurchases(facts: Facts): Finding[] {
  const purchases = purchasesOf(facts);
  const invoices = facts.invoices.filter(({ kind }) => kind === 'credit_purchase');
  const bought = Map.groupBy(
    facts.wallets.flatMap(({ ledger }) => ledger.filter(({ type }) => type === 'purchased')),
    ({ blocks }) => blocks[0]!.blockId,
  );
  const byInvoice = new Map(purchases.map((purchase) => [purchase.invoice.id, purchase]));
  return [
    ...purchases.flatMap((purchase) => checkPurchase(purchase, invoices, bought.get(purchase.id) ?? [])),
    ...[...bought]
      .filter(([, entries]) => entries.length > 1)
      .map(([id, { length }]) => doubled(`Purchase ${id} has added its credits ${length} times`)),
    ...checkTopUps(
      facts,
      invoices.filter(({ id }) => !byInvoice.has(id)),
      new Set(purchases.map(({ id }) => id)),
    ),
  ];
}

function purchasesOf({ entries }: Facts): Purchase[] {
  return entries
    .filter(({ path }) => path.endsWith('/purchases'))
    .flatMap((entry) => {
      const answer = acknowledgement(entry);
      return answer ? [answer.body as Purchase] : [];
    });
}

function checkPurchase(
  { id, customerId, credits, invoice }: Purchase,
  invoices: readonly Invoice[],
  entries: readonly WalletEntry[],
): Finding[] {
  const own = invoices.filter((one) => one.id === invoice.id);
  if (own.length !== 1)
    return [(own.length > 1 ? doubled : lost)(`Purchase ${id} of ${customerId} has ${own.length} invoices`)];
  const [{ status, lines }] = own as [Invoice];
  const findings: Finding[] = [];
  if (status === 'paid' && entries.length === 0)
    findings.push(lost(`Purchase ${id} of ${customerId} is paid and has added no credits`));
  if (status !== 'paid' && entries.length > 0)
    findings.push(doubled(`Purchase ${id} of ${customerId} is ${status} and has added its credits`));
  for (const { amount } of entries)
    if (amount !== credits)
      findings.push(wrong(`Purchase ${id} over ${credits} credits has added ${amount}`));
  if (lines.length !== 1 || lines[0]!.quantity !== credits)
    findings.push(wrong(`Purchase ${id} over ${credits} credits has the lines ${JSON.stringify(lines)}`));
  return findings;
}

/** What nobody asked for was bought by a wallet that was told to, each time at its threshold, and each time paid and added once. */
function checkTopUps(
  { wallets, entries }: Facts,
  invoices: readonly Invoice[],
  asked: ReadonlySet<string>,
): Finding[] {
  const told = new Set(
    entries.filter(({ path }) => path.endsWith('/auto-top-up')).map(({ path }) => path.split('/')[3]!),
  );
  const findings = invoices
    .filter(({ customerId }) => !told.has(customerId))
    .map(({ id, customerId }) => doubled(`Invoice ${id} of ${customerId} is for credits that nobody bought`));
  for (const wallet of wallets) {
    const added = wallet.ledger.filter(
      ({ type, blocks }) => type === 'purchased' && !asked.has(blocks[0]!.blockId),
    );
    const toldSo = entries.some(({ path }) => path.endsWith(`${pathOf(wallet)}/auto-top-up`));
    if (!toldSo && added.length > 0)
      findings.push(doubled(`The wallet ${pathOf(wallet)} has credits that nobody bought`));
    if (toldSo) findings.push(...checkTopUpsOf(wallet, invoices, added));
  }
  return findings;
}

function checkTopUpsOf(
  wallet: Wallet,
  invoices: readonly Invoice[],
  added: readonly WalletEntry[],
): Finding[] {
  const own = invoices.filter(({ customerId }) => customerId === wallet.customerId);
  const paid = own.filter(({ status }) => status === 'paid').length;
  const blocks = new Set(added.map((entry) => entry.blocks[0]!.blockId)).size;
  const findings: Finding[] = [];
  if (paid !== blocks)
    findings.push(
      (blocks > paid ? doubled : lost)(
        `The wallet ${pathOf(wallet)} has paid ${paid} top-ups and has ${blocks}`,
      ),
    );
  // Nothing else adds credits meanwhile, so each one finds the wallet at the threshold or below it.
  for (const { id, amount, balance } of added)
    if (balance - amount > TOP_UP.threshold)
      findings.push(
        doubled(`Top-up ${id} of ${pathOf(wallet)} was made with ${balance - amount} credits left`),
      );
  if (wallet.balance <= TOP_UP.threshold)
    findings.push(lost(`The wallet ${pathOf(wallet)} has ${wallet.balance} credits and bought none`));
  for (const { id, lines } of own)
    if (lines[0]!.quantity !== TOP_UP.credits)
      findings.push(wrong(`Invoice ${id} of a top-up is for ${lines[0]!.quantity} credits`));
  return findings;
}

const pathOf = ({ customerId, credits }: Wallet): string => `${customerId}/wallets/${credits.type}`;
