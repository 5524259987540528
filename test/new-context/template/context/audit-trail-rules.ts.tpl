import type { AuditTrailRules } from '#libs/manifest';
import type { {{Name}}Event } from './events.js';

export const auditTrailRules: AuditTrailRules<{{Name}}Event> = {
  {{Name}}Created: { action: '{{snake}}.created', id: '{{name}}Id', show: ['name'] },
};
