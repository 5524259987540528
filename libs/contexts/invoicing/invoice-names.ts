import { Injectable } from '@nestjs/common';
import { InvoiceNumbers } from './invoice-numbers.js';
import { Invoices } from './invoices.js';
import { placeOf } from './settings/invoice-number.js';

/** Finds invoices by the number that is printed on them. */
@Injectable()
export class InvoiceNames {
  constructor(
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
  ) {}

  /** Turns an id or a printed number into the id of the invoice. Undefined if no invoice has the number. An id is not checked. */
  async idOf(workspaceId: string, named: string): Promise<string | undefined> {
    if (named.startsWith('inv_') || placeOf(named) === undefined) return named;
    return this.ofNumber(workspaceId, named);
  }

  /** The id of the invoice with this number printed on it; undefined if there is none. */
  async ofNumber(workspaceId: string, number: string): Promise<string | undefined> {
    const place = placeOf(number);
    if (place === undefined) return undefined;
    const invoiceId = await this.numbers.holderOf(workspaceId, place);
    if (invoiceId === undefined) return undefined;
    // The same sequence number with another prefix is not the number of this invoice.
    return (await this.invoices.find(workspaceId, invoiceId))?.number === number ? invoiceId : undefined;
  }
}
