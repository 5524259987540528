import { Injectable } from '@nestjs/common';
import { Balances } from '#libs/balances';
import { AggregateStore, type CommandContext } from '#libs/event-store';
import { workspaceDecider } from '#libs/identity';
import type { Opening } from './events.js';
import type { Invoice } from './invoice.js';
import { isNothing } from './invoice-decider.js';
import { InvoiceNumbers } from './invoice-numbers.js';
import { Invoices } from './invoices.js';
import { formatNumber } from './settings/invoice-number.js';

/** What a draft gets as it becomes an invoice: its number, the seller's name as it is then, and what the customer's balance has for it. */
@Injectable()
export class Issuing {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
    private readonly balances: Balances,
  ) {}

  /**
   * Runs `open` with what the draft is opened with. If it is refused because the draft was voided meanwhile, its number
   * is given back, so that none is missing from the sequence; and to the balance what was taken from it.
   */
  async with<T>(context: CommandContext, draft: Invoice, open: (opening: Opening) => Promise<T>): Promise<T> {
    const { accountId, now: issuedAt } = context;
    const { invoiceId } = draft;
    const place = await this.numbers.reserve(accountId, invoiceId);
    const { invoiceNumberPrefix: prefix, invoiceNumberFormat: format } = draft.settings;
    try {
      const number = formatNumber(place, { prefix, format, issuedAt });
      const sellerName = await this.sellerName(accountId);
      return await open({ number, sellerName, ...(await this.balanceFor(context, draft)) });
    } catch (error) {
      await this.releaseUnused(accountId, invoiceId);
      await this.settleBalance(context, invoiceId);
      throw error;
    }
  }

  private async balanceFor(context: CommandContext, draft: Invoice): Promise<Pick<Opening, 'balance'>> {
    const balance = await this.balances.apply(context, draft, draft.total);
    return isNothing(balance) ? {} : { balance };
  }

  /** Returns to the balance what was taken for an invoice that did not use it. Whoever opens a draft uses it yet. */
  async settleBalance(context: CommandContext, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.find(context.accountId, invoiceId);
    if (!invoice || invoice.status === 'draft') return;
    await this.balances.settle(context, invoice, invoice.status === 'void' ? '0' : invoice.balanceApplied);
  }

  /** Gives back the number of a draft that was voided. Changes nothing for any other invoice. */
  async releaseUnused(accountId: string, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.find(accountId, invoiceId);
    if (invoice?.status === 'void' && invoice.number === null)
      await this.numbers.release(accountId, invoiceId);
  }

  /** What the workspace calls itself to its customers; `null` if it has not said. */
  async sellerName(accountId: string): Promise<string | null> {
    return (await this.aggregates.load(workspaceDecider, accountId))?.name ?? null;
  }
}
