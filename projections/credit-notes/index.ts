export { CreditNoteQueries, type CreditNoteFilter } from './credit-note-queries.js';
export type { CreditNoteRow } from './credit-note-row.js';
export { CreditNotesReadModule } from './credit-notes-read.module.js';
