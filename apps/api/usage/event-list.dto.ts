import { BooleanField, IdField, InstantField, PageQuery, TextField } from '../http/index.js';

export class EventListQuery extends PageQuery {
  @IdField({ optional: true, description: 'Selects events of this customer.' })
  customer_id?: string;

  @TextField({ optional: true, max: 255, description: 'Selects events of this name.' })
  event_name?: string;

  @InstantField({
    query: true,
    optional: true,
    description:
      'Selects events at this time or later. Default: 30 days before the end of the time range, or before now.',
  })
  start_time?: string;

  @InstantField({
    query: true,
    optional: true,
    after: 'start_time',
    example: '2026-02-28T00:00:00Z',
    description: "Selects events before this time. Default: now, by the workspace's clock.",
  })
  end_time?: string;

  @BooleanField({
    query: true,
    optional: true,
    example: true,
    description:
      'Selects events that no metric counts, or that a metric skips because they have no usable value. The present metrics decide: if a ' +
      'metric that was made later counts an event, the event is no longer listed. The search may have to read all events of the range. ' +
      'If the search takes too long, the error `400 query_too_slow` asks for a smaller range. False or absent: all events.',
  })
  unmatched?: boolean;

  @BooleanField({
    query: true,
    optional: true,
    example: true,
    description:
      'Selects events that metrics count, and that no price of a subscription of their customer and no credits charge. The present metrics ' +
      'and the subscriptions that have not ended decide. With `unmatched=true`, the list has the events of both kinds. The search may have ' +
      'to read all events of the range. If the search takes too long, the error `400 query_too_slow` asks for a smaller range. False or ' +
      'absent: all events.',
  })
  unpriced?: boolean;
}
