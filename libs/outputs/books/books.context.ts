import { CHANGE, defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { BooksJobsModule } from './books-jobs.module.js';
import { BooksExportProcess } from './exports/books-export.process.js';
import { booksExportDecider } from './exports/books-export-requests.js';
import { BooksEraser } from './jobs/books-eraser.js';
import { BOOKS_JOB_DAYS } from './jobs/books-job.js';
import { pruneBooksJobs } from './jobs/prune-books-jobs.js';
import { Books1700000008150 } from './migrations/1700000008150-books.js';
import { BooksVerifications1700000008160 } from './migrations/1700000008160-books-verifications.js';
import { BooksVerificationProcess } from './verifications/books-verification.process.js';
import { booksVerificationDecider } from './verifications/books-verification-requests.js';

export default defineContext({
  deciders: [booksExportDecider, booksVerificationDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['bex', 'bvr'],
  tables: {
    migrations: [Books1700000008150, BooksVerifications1700000008160],
    rights: { app: { books: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [BooksJobsModule],
    processManagers: [BooksExportProcess, BooksVerificationProcess],
    workers: [],
    retentions: [
      { table: 'books.exports', days: () => BOOKS_JOB_DAYS, prune: pruneBooksJobs('exports') },
      { table: 'books.verifications', days: () => BOOKS_JOB_DAYS, prune: pruneBooksJobs('verifications') },
    ],
  },
  personalData: [BooksEraser],
  customerData: NONE,
  answers: [],
});
