import { defineContext, NONE, CHANGE } from '#libs/manifest';
import { WebhooksModule } from './webhooks.module.js';
import { WebhooksProcess } from './webhooks.process.js';
import { DeliveriesEraser } from './delivery/deliveries-eraser.js';
import { pruneDeliveries } from './delivery/prune-deliveries.js';
import { webhookDecider } from './webhook.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { Webhooks1700000001200 } from './migrations/1700000001200-webhooks.js';
import { WebhooksRetention1700000003412 } from './migrations/1700000003412-retention.js';
import { WebhookPauses1700000004012 } from './migrations/1700000004012-pauses.js';
import { RotatedSecrets1700000004040 } from './migrations/1700000004040-rotated-secrets.js';
import { Redeliveries1700000004041 } from './migrations/1700000004041-redeliveries.js';
import { DeliveriesInWorkspaceTime1700000004043 } from './migrations/1700000004043-workspace-time.js';
import { DeliveriesOfWorkspace1700000006800 } from './migrations/1700000006800-deliveries-of-workspace.js';
import { DeliveriesByEvent1700000005000 } from './migrations/1700000005000-deliveries-by-event.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [webhookDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['wh', 'evt'],
  tables: {
    migrations: [
      Webhooks1700000001200,
      WebhooksRetention1700000003412,
      WebhookPauses1700000004012,
      RotatedSecrets1700000004040,
      Redeliveries1700000004041,
      DeliveriesInWorkspaceTime1700000004043,
      DeliveriesByEvent1700000005000,
      DeliveriesOfWorkspace1700000006800,
    ],
    rights: { app: { webhooks: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [WebhooksModule],
    processManagers: [WebhooksProcess],
    workers: [],
    retentions: [
      {
        table: 'webhooks.deliveries',
        days: (settings) => settings.webhookRetentionDays,
        prune: pruneDeliveries,
      },
    ],
  },
  personalData: [DeliveriesEraser],
  customerData,
  answers: [],
});
