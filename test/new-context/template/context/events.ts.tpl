import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** What a {{words}} is made with. */
export interface {{Name}}Details {
  name: string;
}

export type {{Name}}Event = DomainEvent<'{{Name}}Created', { {{name}}Id: string; at: Instant } & {{Name}}Details>;

export const {{name}}Events: EventCatalog<{{Name}}Event> = { {{Name}}Created: v1 };
