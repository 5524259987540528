import { Injectable } from '@nestjs/common';
import { rawJsonNumbers } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { beside, presentVersion, type ResourceVersion } from './resources.js';

/** Makes what is sent as `data`: the resource as `GET` showed it right after the event, and what the event itself says beside it. */
@Injectable()
export class MessageData {
  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * The data of a message, as JSON text with exact numbers.
   *
   * @param message its `data` is what the event says, as JSON text. Where the resource has a field of the same name, that one counts.
   */
  async of(
    workspaceId: string,
    { data, resource }: { data: string; resource?: ResourceVersion },
  ): Promise<string> {
    const shown = resource && (await presentVersion(this.aggregates, workspaceId, resource));
    if (!shown) return data;
    return JSON.stringify(beside(shown, rawJsonNumbers(data) as object));
  }
}
