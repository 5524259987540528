import type { AuditRules } from '#libs/manifest';
import type { {{Name}}Event } from './events.js';

export const auditRules: AuditRules<{{Name}}Event> = {
  {{Name}}Created: { action: '{{snake}}.created', id: '{{name}}Id', show: ['name'] },
};
