import { CliError } from '../cli-error.js';
import { describeExit, EndedBeforeReadyError, launch, type Program } from '../processes/launch.js';
import type { DataFolder } from './data-folder.js';
import { InstanceLogs } from './instance-logs.js';
import { type ProcessListener, SupervisedProcess } from './supervised-process.js';
import type { Terminal } from './terminal.js';

/**
 * Starts and stops the processes of one instance. The processes stop one after the other, in the reverse order of their start. With this
 * order, each process can still use the processes that it needs to finish its work. For example, the API needs the projector, and all
 * programs need the event store.
 */
export class Supervisor {
  private readonly processes: SupervisedProcess[] = [];
  private readonly logs: InstanceLogs;
  private readonly tasks = new Set<{ stop(): Promise<unknown> }>();
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly folder: DataFolder,
    private readonly terminal: Pick<Terminal, 'printLine' | 'showIfError'>,
  ) {
    this.logs = new InstanceLogs(folder, terminal);
  }

  /**
   * Starts programs at the same time and resolves when all programs are ready. Each program must come after the programs that it uses.
   * Throws a {@link CliError} if a program does not start.
   */
  async start(...programs: Program[]): Promise<void> {
    this.refuseWhenStopping();
    const added = programs.map((program) => {
      const process = this.supervise(program);
      this.processes.push(process);
      return process;
    });
    await Promise.all(added.map((process) => process.start())).catch((error: unknown) => {
      if (!(error instanceof EndedBeforeReadyError)) throw error;
      throw new CliError(`${error.message} (log: ${this.folder.logPathOf(error.program)})`);
    });
  }

  /** Runs a program until it exits. Throws a {@link CliError} with the program's last error message if the program fails. */
  async runUntilExit(program: Program): Promise<void> {
    this.refuseWhenStopping();
    const task = launch(program, (line) => this.logs.logFileOf(program.name).write(line));
    this.tasks.add(task);
    const exit = await task.exited;
    this.tasks.delete(task);
    if (exit.code !== 0)
      throw new CliError(`${program.name} failed: ${task.failureReason() || describeExit(exit)}`);
  }

  /** Restarts the named processes at the same time. */
  async restart(names: Iterable<string>): Promise<void> {
    const chosen = new Set(names);
    await Promise.all(
      this.processes.filter(({ program }) => chosen.has(program.name)).map((process) => process.restart()),
    );
  }

  /** Stops all processes. A process that has not stopped within its grace period is killed. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    // Supervision ends before the first process stops. Otherwise processes that lose a connection would be restarted and reported.
    for (const process of this.processes) process.endSupervision();
    await Promise.all([...this.tasks].map((task) => task.stop()));
    for (const process of this.processes.toReversed()) await process.stop();
    await this.logs.close();
  }

  private refuseWhenStopping(): void {
    if (this.stopping) throw new CliError('Stopped before everything had started');
  }

  private supervise(program: Program): SupervisedProcess {
    const log = this.logs.logFileOf(program.name);
    const listener: ProcessListener = {
      onOutputLine: (line) => {
        log.write(line);
        this.terminal.showIfError(program.name, line);
      },
      onNotice: (text) => this.terminal.printLine(text),
    };
    const needs = this.processes.filter((process) => program.needs?.includes(process.program.name));
    return new SupervisedProcess(program, listener, needs);
  }
}
