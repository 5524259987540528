import { Injectable } from '@nestjs/common';
import { Invoices, succeededPayments } from '#libs/contexts/invoicing';
import type { SendConditionChecker } from '../queue/mail-deliverer.js';
import type { SendConditions } from '../queue/mail.js';
import { isOwed } from './is-owed.js';

/** Checks the conditions of mail to customers, from the present state of their invoices. */
@Injectable()
export class InvoiceSendConditionChecker implements SendConditionChecker {
  constructor(private readonly invoices: Invoices) {}

  async findWithholdingReason(
    workspaceId: string,
    { whileOwed, unlessVoid, unlessReversed }: SendConditions,
  ): Promise<string | null> {
    if (whileOwed && !(await this.isAnyOwed(workspaceId, whileOwed))) return 'Nothing is owed any more';
    if (unlessVoid) {
      const { status, creditNotes } = await this.invoices.require(workspaceId, unlessVoid.invoiceId);
      const note = creditNotes.find(({ creditNoteId }) => creditNoteId === unlessVoid.creditNoteId);
      if (note && note.voidedAt !== undefined) return 'The credit note is void';
      if (!note && status === 'void') return 'The invoice is void';
    }
    if (unlessReversed) {
      const { invoiceId, paymentId } = unlessReversed;
      const { recordedPayments } = await this.invoices.require(workspaceId, invoiceId);
      if (!succeededPayments(recordedPayments).some((payment) => payment.paymentId === paymentId))
        return 'The payment was reversed';
    }
    return null;
  }

  private async isAnyOwed(workspaceId: string, invoiceIds: readonly string[]): Promise<boolean> {
    for (const invoiceId of invoiceIds) {
      const invoice = await this.invoices.find(workspaceId, invoiceId);
      if (invoice && isOwed(invoice)) return true;
    }
    return false;
  }
}
