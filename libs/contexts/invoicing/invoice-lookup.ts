import { Injectable } from '@nestjs/common';
import { InvoiceNumbers } from './document-number-sequences.js';
import { Invoices } from './invoices.js';
import { sequenceNumberOf } from './settings/document-number.js';

/** Finds invoices by the number that is printed on them. */
@Injectable()
export class InvoiceLookup {
  constructor(
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
  ) {}

  /**
   * Returns the id of the invoice for an invoice id or a printed invoice number. Returns undefined if no invoice has the number. An invoice
   * id is returned without a check that the invoice exists.
   */
  async findIdByIdOrNumber(workspaceId: string, named: string): Promise<string | undefined> {
    if (named.startsWith('inv_') || sequenceNumberOf(named) === undefined) return named;
    return this.findIdByNumber(workspaceId, named);
  }

  /** Returns the id of the invoice on which this number is printed. Returns undefined if no invoice has the number. */
  async findIdByNumber(workspaceId: string, number: string): Promise<string | undefined> {
    const place = sequenceNumberOf(number);
    if (place === undefined) return undefined;
    const invoiceId = await this.numbers.findIdBySequenceNumber(workspaceId, place);
    if (invoiceId === undefined) return undefined;
    // The same sequence number with another prefix is not the number of this invoice.
    return (await this.invoices.find(workspaceId, invoiceId))?.number === number ? invoiceId : undefined;
  }
}
