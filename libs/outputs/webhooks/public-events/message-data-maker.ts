import { Injectable } from '@nestjs/common';
import { parseJsonWithRawNumbers } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { mergeResourceAndEventFields, presentResourceVersion, type ResourceVersion } from './resources.js';

/**
 * Makes the `data` of a message: the resource as `GET` showed it right after the command of the event, and the fields of the event itself.
 */
@Injectable()
export class MessageDataMaker {
  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * The data of a message, as JSON text with exact numbers.
   *
   * @param message the message, whose `data` contains the fields of the event as JSON text. If the resource and the event have a field of
   * the same name, the resource's field is used.
   */
  async makeData(
    workspaceId: string,
    { data, resource }: { data: string; resource?: ResourceVersion },
  ): Promise<string> {
    const shown = resource && (await presentResourceVersion(this.aggregates, workspaceId, resource));
    if (!shown) return data;
    return JSON.stringify(mergeResourceAndEventFields(shown, parseJsonWithRawNumbers(data) as object));
  }
}
