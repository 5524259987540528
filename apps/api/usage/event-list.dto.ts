import { BooleanField, IdField, InstantField, PageQuery, TextField } from '../http/index.js';

export class EventListQuery extends PageQuery {
  @IdField({ optional: true, description: 'Only this customer.' })
  customer_id?: string;

  @TextField({ optional: true, max: 255, description: 'Only events of this name.' })
  event_name?: string;

  @InstantField({ query: true, optional: true, description: 'At or after. Default: 30 days before the end.' })
  start_time?: string;

  @InstantField({
    query: true,
    optional: true,
    after: 'start_time',
    example: '2026-02-28T00:00:00Z',
    description: "Before. Default: up to now, by the workspace's clock.",
  })
  end_time?: string;

  @BooleanField({
    query: true,
    optional: true,
    example: true,
    description:
      'Only events that no metric counts, or that a metric skips, by the metrics as they are now: an event that a later ' +
      'metric counts is not listed any more. It can take reading all events of the range: `400 query_too_slow` asks for less. ' +
      'False, or absent: all.',
  })
  unmatched?: boolean;
}
