import { Injectable } from '@nestjs/common';
import { InvoiceNumbers } from './invoice-numbers.js';
import { Invoices } from './invoices.js';
import { placeOf } from './settings/invoice-number.js';

/** Invoices as people call them: by their numbers. */
@Injectable()
export class InvoiceNames {
  constructor(
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
  ) {}

  /** The id of the invoice with this id, or with this number printed on it; undefined if there is none of the number. */
  async idOf(accountId: string, named: string): Promise<string | undefined> {
    const place = placeOf(named);
    if (named.startsWith('inv_') || place === undefined) return named;
    const invoiceId = await this.numbers.holderOf(accountId, place);
    if (invoiceId === undefined) return undefined;
    // The same place with another prefix is not its number.
    return (await this.invoices.find(accountId, invoiceId))?.number === named ? invoiceId : undefined;
  }
}
