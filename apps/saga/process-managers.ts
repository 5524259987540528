import type { DynamicModule, Type } from '@nestjs/common';
import type { Settings } from '#libs/core';
import { CollectionProcess, InvoicingModule } from '#libs/invoicing';
import type { ProcessManager } from '#libs/saga';

/** Every process manager, provided and exported by one of the modules below. */
export const processManagers: Type<ProcessManager>[] = [CollectionProcess];

/** The modules that the process managers live in. */
export function processManagerModules(_settings: Settings): (Type | DynamicModule)[] {
  return [InvoicingModule];
}
