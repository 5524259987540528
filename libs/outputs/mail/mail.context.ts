import { CHANGE, defineContext, NONE } from '#libs/manifest';
import { ApprovalMailsModule } from './approvals/approval-mails.module.js';
import { MailModule } from './mail.module.js';
import { MailProcess } from './mail.process.js';
import { Mail1700000006500 } from './migrations/1700000006500-mail.js';
import { UserMailsModule } from './users/user-mails.module.js';
import { pruneMail } from './queue/prune-mail.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [],
  auditRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: ['mail'],
  tables: { migrations: [Mail1700000006500], rights: { app: { mail: { '*': CHANGE } } } },
  webhooks: NONE,
  background: {
    modules: [MailModule],
    processManagers: [MailProcess],
    workers: [],
    retentions: [
      { table: 'mail.messages', days: (settings) => settings.mailRetentionDays, prune: pruneMail },
    ],
  },
  // Mail goes to users alone. It is removed after the time that it is kept.
  personalData: [],
  customerData,
  answers: [UserMailsModule, ApprovalMailsModule],
});
