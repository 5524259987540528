import { defineContext, NONE } from '#libs/manifest';
import { CollectionModule } from './collection.module.js';
import { CollectionProcess } from './collection.process.js';

export default defineContext({
  deciders: [],
  auditRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: ['pay'],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [CollectionModule],
    processManagers: [CollectionProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  answers: [],
});
