import { CHANGE, defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { booksExportDecider } from './books-export-requests.js';
import { BOOKS_EXPORT_DAYS } from './books-export.js';
import { BooksExportProcess } from './books-export.process.js';
import { BooksModule } from './books.module.js';
import { ExportedBooksEraser } from './exported-books-eraser.js';
import { Books1700000008150 } from './migrations/1700000008150-books.js';
import { pruneBooksExports } from './prune-books-exports.js';

export default defineContext({
  deciders: [booksExportDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['bex'],
  tables: {
    migrations: [Books1700000008150],
    rights: { app: { books: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [BooksModule],
    processManagers: [BooksExportProcess],
    workers: [],
    retentions: [{ table: 'books.exports', days: () => BOOKS_EXPORT_DAYS, prune: pruneBooksExports }],
  },
  personalData: [ExportedBooksEraser],
  customerData: NONE,
  answers: [],
});
