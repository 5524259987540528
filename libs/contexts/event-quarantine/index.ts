export {
  eventQuarantineDecider,
  type NeighbourEvent,
  type QuarantineCommand,
  type QuarantineEvents,
} from './event-quarantine.js';
