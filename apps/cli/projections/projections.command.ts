import { CommandGroup } from '../command-group.js';
import { Command } from '../command-decorators.js';
import { ProjectionsDropOldCommand } from './drop-old.command.js';
import { ProjectionsListCommand } from './list.command.js';
import { ProjectionsRebuildCommand } from './rebuild.command.js';
import { ProjectionsStatusCommand } from './status.command.js';
import { ProjectionsVerifyCommand } from './verify.command.js';

/** Commands below `countinghouse projections`. */
const subCommands = [
  ProjectionsListCommand,
  ProjectionsStatusCommand,
  ProjectionsRebuildCommand,
  ProjectionsVerifyCommand,
  ProjectionsDropOldCommand,
];

/** `countinghouse projections`: the read models, made of the event log. */
@Command({
  name: 'projections',
  description: 'Look at the read models, make them anew, and compare them with the events.',
  subCommands,
})
export class ProjectionsCommand extends CommandGroup {}
