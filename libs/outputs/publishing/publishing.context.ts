import { defineContext, NONE } from '#libs/manifest';
import { PublishedMessagesEraser } from './published-messages-eraser.js';
import { PublishedDataModule } from './published-data.module.js';

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [PublishedDataModule],
    processManagers: [],
    workers: [],
    retentions: [],
  },
  personalData: [PublishedMessagesEraser],
  customerData: NONE,
  answers: [],
});
