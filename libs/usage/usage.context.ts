import { defineContext, NONE, CHANGE, ADD, READ, NO_RIGHT, type TableRights } from '#libs/manifest';
import { RejectedUsageEraser } from './intake/rejected-usage-eraser.js';
import { RejectedUsageModule } from './intake/rejected-usage.module.js';
import { EraseProperties1700000006600 } from './migrations/1700000006600-erase-properties.js';
import { AppendGated1700000004165 } from './migrations/1700000004165-append-gated.js';
import { AppendInOneFunction1700000007920 } from './migrations/1700000007920-append-in-one-function.js';
import { ErasePropertyNames1700000007950 } from './migrations/1700000007950-erase-property-names.js';
import { GateVersions1700000004140 } from './migrations/1700000004140-gate-versions.js';
import { KeyContents1700000007930 } from './migrations/1700000007930-key-contents.js';
import { MeterRoles1700000003500 } from './migrations/1700000003500-meter-roles.js';
import { PartitionsByOwner1700000004020 } from './migrations/1700000004020-partitions-by-owner.js';
import { RemoveTexts1700000006810 } from './migrations/1700000006810-remove-texts.js';
import { SqlMetrics1700000003720 } from './migrations/1700000003720-sql-metrics.js';
import { UnmatchedUsage1700000004030 } from './migrations/1700000004030-unmatched.js';
import { UnpricedUsage1700000007942 } from './migrations/1700000007942-unpriced.js';
import { UsageCharges1700000004120 } from './migrations/1700000004120-charges.js';
import { Usage1700000000700 } from './migrations/1700000000700-usage.js';
import { UsageWatches1700000003900 } from './migrations/1700000003900-watches.js';
import { permissions } from './permissions.js';
import { customerData } from './customer-data.js';

/**
 * The usage log. No program has the right to change rows of the usage log. Only database functions that run as the owner change rows, to
 * remove personal texts. Programs access the partitions of the usage log only through the table `events`.
 */
const usageLog = (right: string): TableRights => ({
  streams: right,
  series: right,
  sources: right,
  events: right,
  keys: right,
});

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions,
  idPrefixes: ['use'],
  tables: {
    migrations: [
      AppendGated1700000004165,
      AppendInOneFunction1700000007920,
      EraseProperties1700000006600,
      ErasePropertyNames1700000007950,
      GateVersions1700000004140,
      KeyContents1700000007930,
      MeterRoles1700000003500,
      PartitionsByOwner1700000004020,
      RemoveTexts1700000006810,
      SqlMetrics1700000003720,
      UnmatchedUsage1700000004030,
      UnpricedUsage1700000007942,
      Usage1700000000700,
      UsageCharges1700000004120,
      UsageWatches1700000003900,
    ],
    rights: {
      app: {
        usage: { '*': CHANGE, ...usageLog(ADD), sql_seal: READ }, // The functions of `sql_metrics` run as a separate role.
        sql_metrics: {},
      },
      projector: { usage: { '*': CHANGE, ...usageLog(READ), sql_seal: NO_RIGHT } },
    },
  },
  webhooks: NONE,
  background: { modules: [RejectedUsageModule], processManagers: [], workers: [], retentions: [] },
  personalData: [RejectedUsageEraser],
  customerData,
  answers: [],
});
