import { debtDecider, type DunningEvent } from '#libs/contexts/dunning';
import { eventTypesOf } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import { DunningProcessRow } from './dunning-process-row.js';

/**
 * All dunning processes, for `GET /v1/dunning/processes`. The event stream of a debt can contain several dunning processes, so each process
 * is a row with its own id.
 */
export const dunningProjection = foldProjection<DunningProcessRow, DunningEvent>({
  name: 'dunning',
  version: 2,
  entity: DunningProcessRow,
  eventTypes: eventTypesOf(debtDecider),
  keyOf: ({ data }) => data.processId,
  isFirst: ({ type }) => type === 'DunningStarted',
  evolve(row, event) {
    const { workspaceId } = event.metadata;
    const createdPosition = row?.createdPosition ?? String(event.position);
    return { ...debtDecider.evolve(row, event), workspaceId, createdPosition };
  },
});
