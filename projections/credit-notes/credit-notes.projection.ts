import type { InvoiceEvent } from '#libs/contexts/invoicing';
import { foldProjection } from '#libs/kernel/projection';
import { CreditNoteRow } from './credit-note-row.js';

const EVENTS = ['CreditNoteIssued', 'CreditNoteNumbered', 'CreditNoteVoided'] as const;

type CreditNoteEvent = Extract<InvoiceEvent, { type: (typeof EVENTS)[number] }>;

/** All credit notes of all invoices, for `GET /v1/credit-notes`. */
export const creditNotesProjection = foldProjection<CreditNoteRow, CreditNoteEvent>({
  name: 'credit-notes',
  version: 1,
  entity: CreditNoteRow,
  eventTypes: EVENTS,
  keyOf: ({ data }) => ('note' in data ? data.note.creditNoteId : data.creditNoteId),
  isFirst: ({ type }) => type === 'CreditNoteIssued',
  evolve(row, event) {
    switch (event.type) {
      case 'CreditNoteIssued': {
        const { data, metadata, position } = event;
        const { invoiceId, customerId, note } = data;
        const { creditNoteId: id, issuedAt } = note;
        return {
          id,
          workspaceId: metadata.workspaceId,
          invoiceId,
          customerId,
          number: null,
          status: 'issued',
          issuedAt,
          createdPosition: String(position),
        };
      }
      case 'CreditNoteNumbered':
        return row && { ...row, number: event.data.number };
      case 'CreditNoteVoided':
        return row && { ...row, status: 'void' };
    }
  },
});
