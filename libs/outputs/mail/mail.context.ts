import { CHANGE, defineContext, NONE } from '#libs/manifest';
import { ApprovalMailsModule } from './approvals/approval-mails.module.js';
import { CustomerMailProcess } from './customers/customer-mail.process.js';
import { CustomerMailsEraser } from './customers/customer-mails-eraser.js';
import { MailModule } from './mail.module.js';
import { CustomerMailSender, MailProcess } from './mail.process.js';
import { Mail1700000006500 } from './migrations/1700000006500-mail.js';
import { CustomerMail1700000006900 } from './migrations/1700000006900-customer-mail.js';
import { MailByWorkspaceClock1700000007710 } from './migrations/1700000007710-mail-by-workspace-clock.js';
import { UserMailsModule } from './users/user-mails.module.js';
import { pruneMail } from './queue/prune-mail.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: ['mail'],
  tables: {
    migrations: [Mail1700000006500, CustomerMail1700000006900, MailByWorkspaceClock1700000007710],
    rights: { app: { mail: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [MailModule],
    processManagers: [MailProcess, CustomerMailSender, CustomerMailProcess],
    workers: [],
    retentions: [
      { table: 'mail.messages', days: (settings) => settings.mailRetentionDays, prune: pruneMail },
    ],
  },
  personalData: [CustomerMailsEraser],
  customerData,
  answers: [UserMailsModule, ApprovalMailsModule],
});
