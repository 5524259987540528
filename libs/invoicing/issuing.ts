import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/event-store';
import { workspaceDecider } from '#libs/identity';
import type { Opening } from './events.js';
import { InvoiceNumbers } from './invoice-numbers.js';
import { Invoices } from './invoices.js';

/** What a draft gets as it becomes an invoice: its number, and the seller's name as it is then. */
@Injectable()
export class Issuing {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
  ) {}

  /**
   * Runs `open` with what the draft is opened with. If it is refused because the draft was voided meanwhile, its number
   * is given back, so that none is missing from the sequence.
   */
  async with<T>(accountId: string, invoiceId: string, open: (opening: Opening) => Promise<T>): Promise<T> {
    const number = await this.numbers.reserve(accountId, invoiceId);
    try {
      return await open({ number, sellerName: await this.sellerName(accountId) });
    } catch (error) {
      await this.releaseUnused(accountId, invoiceId);
      throw error;
    }
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
