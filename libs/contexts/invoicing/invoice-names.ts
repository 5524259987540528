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
    // The same place with another prefix is not its number.
    return (await this.invoices.find(workspaceId, invoiceId))?.number === number ? invoiceId : undefined;
  }
}
