import { CliCommand } from '../cli-command.js';
import { CliError } from '../cli-error.js';
import { AppendedHelp, Command, Option } from '../command-decorators.js';
import { CommandGroup } from '../command-group.js';

/** A command that changes the state of one event of the quarantine, for a reason that the audit trail keeps. */
abstract class QuarantineCommandBase extends CliCommand {
  @Option({ flags: '--reason <text>', description: 'The reason, which the audit trail keeps. Required' })
  reason(value: string): string {
    return value;
  }

  protected requireReason(reason: string | undefined): string {
    if (reason === undefined || reason.trim() === '')
      throw new CliError('Give a --reason: the audit trail keeps it, so it must not name a person');
    return reason;
  }
}

const POSITION = { position: 'the position of the event in the log, as the error of the reader names it' };

/** The command `countinghouse events quarantine`. */
@Command({
  name: 'quarantine',
  arguments: '<position>',
  description: 'Set an event aside that cannot be read, so that billing goes on without it.',
  argsDescription: POSITION,
})
export class QuarantineEventCommand extends QuarantineCommandBase {
  override async run([position]: string[], { reason }: { reason?: string }): Promise<void> {
    const given = this.requireReason(reason);
    const { describeEntry, quarantineEvent } = await import('./quarantine.js');
    process.stdout.write(`${describeEntry(await quarantineEvent(position!, given, process.env))}\n`);
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Readers of the log skip a quarantined event. Its own stream takes no more events, so the subscription or other resource of that',
      'stream stands still. Each command that verifies names the event and exits with 1, until the event is released or discarded.',
      'The events of a stream are quarantined from the newest on, since later events need earlier ones.',
      '',
      'Example:',
      '  countinghouse events quarantine 48211 --reason "Written by 0.2.0, which was rolled back"',
    ].join('\n');
  }
}

/** The command `countinghouse events release`. */
@Command({
  name: 'release',
  arguments: '<position>',
  description: 'Let a quarantined event be processed, with a program that can read it.',
  argsDescription: POSITION,
})
export class ReleaseEventCommand extends QuarantineCommandBase {
  override async run([position]: string[], { reason }: { reason?: string }): Promise<void> {
    const given = this.requireReason(reason);
    const { describeEntry, releaseEvent } = await import('./quarantine.js');
    process.stdout.write(`${describeEntry(await releaseEvent(position!, given, process.env))}\n`);
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'The event is processed at the place of its release in the log, by read models, tasks, the ledger and the audit trail. All programs',
      'must be able to read it: a program of an earlier version stops at the release. The events of a stream are released from the oldest',
      'on.',
    ].join('\n');
  }
}

/** The command `countinghouse events discard`. */
@Command({
  name: 'discard',
  arguments: '<position>',
  description: 'Let a quarantined event count as if it had never been appended, for ever.',
  argsDescription: POSITION,
})
export class DiscardEventCommand extends QuarantineCommandBase {
  override async run([position]: string[], { reason }: { reason?: string }): Promise<void> {
    const given = this.requireReason(reason);
    const { describeEntry, discardEvent } = await import('./quarantine.js');
    process.stdout.write(`${describeEntry(await discardEvent(position!, given, process.env))}\n`);
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'The stream of the event takes events again. A discarded event cannot be brought back. The events of a stream are discarded from the',
      'newest on.',
    ].join('\n');
  }
}

/** The command `countinghouse events list`. */
@Command({
  name: 'list',
  description: 'List the events that were ever quarantined, and what became of them.',
})
export class ListQuarantineCommand extends CliCommand {
  @Option({ flags: '--json', description: 'Print one JSON object for each event, a line each' })
  json(): boolean {
    return true;
  }

  override async run(_: string[], { json }: { json?: boolean }): Promise<void> {
    const { describeQuarantine, listQuarantine } = await import('./quarantine.js');
    const entries = await listQuarantine(process.env);
    process.stdout.write(
      json ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') : describeQuarantine(entries),
    );
  }
}

/** The command `countinghouse events`, for events of the log that cannot be read. */
@Command({
  name: 'events',
  description: 'Set aside events that cannot be read, so that billing goes on.',
  subCommands: [QuarantineEventCommand, ReleaseEventCommand, DiscardEventCommand, ListQuarantineCommand],
})
export class EventsCommand extends CommandGroup {}
