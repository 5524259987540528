/** The node may not write any more: another one holds the log, or the connection that held it is gone. */
export class FenceLost extends Error {}

/** Another node holds the log. */
export class LogInUse extends Error {}

/** The group holds an event that its stream already has; nothing of the group was written. */
export class EventAlreadyRecorded extends Error {}
