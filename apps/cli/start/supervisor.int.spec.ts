import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SmallDisk } from '../../../test/support/small-disk.js';
import { Transcript } from '../../../test/support/transcript.js';
import { CliError } from '../cli-error.js';
import type { Program } from '../processes/launch.js';
import { projectRoot } from '../processes/paths.js';
import { processStartTime } from '../processes/process-list.js';
import { DataFolder } from './data-folder.js';
import { restartPauseMillis, SupervisedProcess } from './supervised-process.js';
import { Supervisor } from './supervisor.js';

/** More than a slow machine needs for anything. */
const HANGS_MILLIS = 120_000;

const service = (name: string, ...manners: string[]): Program => ({
  name,
  file: join(projectRoot, 'test/support/programs/service.mjs'),
  args: manners,
});

describe('Supervisor', () => {
  let path: string;
  let folder: DataFolder;
  let shown: Transcript;
  let supervisor: Supervisor;
  let output: Transcript;
  const pids = () => [...output.text.matchAll(/"started":(\d+)/g)].map(([, pid]) => Number(pid));

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'supervisor-'));
    folder = await DataFolder.acquire(path);
    shown = new Transcript();
    output = new Transcript();
    supervisor = new Supervisor(folder, {
      printLine: (text = '') => shown.add(`${text}\n`),
      showIfError: (name, line) => output.add(`${name}: ${line}\n`),
    });
  });
  afterEach(async () => {
    await supervisor.stop();
    await rm(path, { recursive: true, force: true });
  });

  it('starts a process again that was killed, and says so', async () => {
    await supervisor.start(service('lamp'));
    process.kill(pids()[0]!, 'SIGKILL');
    await shown.until('lamp ended unexpectedly (SIGKILL), starting it again in 0.5 s');
    await shown.until('lamp runs again');
    await supervisor.stop();

    expect(pids()).toHaveLength(2);
    expect(await Promise.all(pids().map(processStartTime))).toEqual([undefined, undefined]);
    expect(await readFile(folder.logPathOf('lamp'), 'utf8')).toBe(output.text.replaceAll('lamp: ', ''));
  });

  it('ends the child processes of a killed process', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const connected = once(listener, 'connection') as Promise<[Socket]>;
    await supervisor.start(service('lamp', `parent=${(listener.address() as AddressInfo).port}`));
    const [grandchild] = await connected;
    grandchild.on('error', () => undefined);
    const gone = once(grandchild, 'close');
    grandchild.resume();

    process.kill(pids()[0]!, 'SIGKILL');
    await gone;
    await supervisor.stop();
    listener.close();
  });

  it('stops its processes in the opposite order of their start', async () => {
    await supervisor.start(service('first'));
    await supervisor.start(service('second'), service('third'));
    await supervisor.stop();
    const stopped = [...output.text.matchAll(/^(\w+): .*stopping/gm)].map(([, name]) => name);
    expect(stopped).toEqual(['third', 'second', 'first']);
  });

  it('loads a program while the processes that it needs start, and lets it begin after that', async () => {
    const gate = createServer().listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const connected = once(gate, 'connection') as Promise<[Socket]>;
    const { port } = gate.address() as AddressInfo;
    const started = supervisor.start(service('mains', `gate=${port}`), {
      ...service('lamp'),
      needs: ['mains'],
    });
    const [mains] = await connected;
    await output.until('lamp: {"started"');
    mains.end();
    await started;
    gate.close();
    expect(output.text.replace(/\d+/g, 'N').split('\n').slice(-4)).toEqual([
      'mains: {"event":"listening","service":"lamp","port":null}',
      'lamp: {"let":"begin"}',
      'lamp: {"event":"listening","service":"lamp","port":null}',
      '',
    ]);
  });

  it('ends a waiting process if a process that it needs does not start', async () => {
    const lamp = { ...service('lamp'), needs: ['mains'] };
    await expect(supervisor.start(service('mains', 'broken'), lamp)).rejects.toThrow('mains did not start');
    await supervisor.stop();
    expect(output.text).not.toContain('begin');
    expect(await Promise.all(pids().map(processStartTime))).toEqual([undefined]);
  });

  it('kills a process that does not stop', async () => {
    await supervisor.start({ ...service('lamp', 'stubborn'), graceMillis: 100 });
    await supervisor.stop();
    expect(await processStartTime(pids()[0]!)).toBeUndefined();
  });

  it('kills a process that hangs as it exits, and says why it exited', async () => {
    const file = join(projectRoot, 'test/support/programs/hanging.mjs');
    await expect(supervisor.start({ name: 'lamp', file })).rejects.toThrow(
      'lamp did not start: it has no oil',
    );
  });

  it('says why a process did not start and where its log is, and does not try again', async () => {
    const failure = supervisor.start(service('lamp', 'broken'));
    await expect(failure).rejects.toThrow(CliError);
    await expect(failure).rejects.toThrow(
      `lamp did not start: the lamp has no oil (log: ${folder.logPathOf('lamp')})`,
    );
    expect(shown.text).not.toContain('again');
  });

  it('restarts a process on request, without reporting a failure', async () => {
    await supervisor.start(service('lamp'));
    await supervisor.restart(['lamp']);
    await shown.until('lamp runs again');
    expect(pids()).toHaveLength(2);
    expect(shown.text).not.toContain('unexpectedly');
  });

  describe('when a process that another one needs has ended', () => {
    const pidsOf = (name: string) =>
      [...output.text.matchAll(new RegExp(`^${name}: .*"started":(\\d+)`, 'gm'))].map(([, pid]) =>
        Number(pid),
      );
    const kill = (name: string) => process.kill(pidsOf(name).at(-1)!, 'SIGKILL');
    const startBoth = async () => {
      await supervisor.start(service('mains', 'slow'));
      await supervisor.start({ ...service('lamp'), needs: ['mains'] });
    };
    /** The messages about the lamp, in their order. */
    const toldOfLamp = () => shown.text.match(/^(lamp .*|mains runs again)$/gm);

    it('restarts the other process too, and does not count its end as a failure', async () => {
      await startBoth();
      kill('mains');
      await shown.until('mains ended unexpectedly');
      kill('lamp');
      await shown.until('lamp runs again');
      kill('lamp');
      await shown.until('unexpectedly (SIGKILL), starting it again in 0.5 s\nlamp runs again');
      expect(toldOfLamp()).toEqual([
        'lamp ended (SIGKILL), starting it again when mains runs',
        'mains runs again',
        'lamp runs again',
        'lamp ended unexpectedly (SIGKILL), starting it again in 0.5 s',
        'lamp runs again',
      ]);
    });

    it('does so too if the other process ended a moment before', async () => {
      await startBoth();
      kill('lamp');
      await shown.until('lamp ended unexpectedly');
      kill('mains');
      await shown.until('lamp runs again');
      kill('lamp');
      await shown.until('again in 0.5 s\nlamp runs again');
      expect(toldOfLamp()).toEqual([
        'lamp ended unexpectedly (SIGKILL), starting it again in 0.5 s',
        'lamp waits until mains runs',
        'mains runs again',
        'lamp runs again',
        'lamp ended unexpectedly (SIGKILL), starting it again in 0.5 s',
        'lamp runs again',
      ]);
    });
  });

  it('neither restarts nor reports a process that ends while others are being stopped', async () => {
    await supervisor.start(service('first'));
    await supervisor.start({ ...service('second', 'stubborn'), graceMillis: HANGS_MILLIS });
    const stopped = supervisor.stop();
    await output.until('second: {"stopping"');
    const [first, second] = pids() as [number, number];
    process.kill(first, 'SIGKILL');
    while ((await processStartTime(first)) !== undefined);
    process.kill(second, 'SIGKILL');
    await stopped;
    expect(pids()).toHaveLength(2);
    expect(shown.text).toBe('');
  });

  it('does not report that a process runs again while all are being stopped', async () => {
    const readyAgain = Promise.withResolvers<void>();
    const said: string[] = [];
    let starts = 0;
    const lamp = new SupervisedProcess(service('lamp'), {
      onOutputLine: (line) => {
        if (line.includes('"started"') && ++starts === 2) lamp.endSupervision();
        if (line.includes('"listening"') && starts === 2) readyAgain.resolve();
      },
      onNotice: (text) => said.push(text),
    });
    await lamp.start();
    await lamp.restart();
    await readyAgain.promise;
    await lamp.stop();
    expect(said).toEqual([]);
  });

  it('continues while the disk is full, says so once, and writes its logs again when there is room', async () => {
    // It has room for all lines that may wait in memory. On a disk of one megabyte, those of three slow seconds never fitted again.
    const disk = await SmallDisk.mount(join(path, 'disk'), 16, (reason) =>
      process.stderr.write(`\nSKIPPED: log files on a full disk, since ${reason}\n`),
    );
    if (!disk) return;
    try {
      const onDisk = new Supervisor(await DataFolder.acquire(join(disk.folder, 'data')), {
        printLine: (text = '') => shown.add(`${text}\n`),
        showIfError: (_, line) => output.add(`${line}\n`),
      });
      await onDisk.start(service('lamp', 'talkative'), service('heater', 'talkative'));
      await output.until('"line":20,');
      await disk.fill();
      await shown.until('cannot be written');
      await output.until('"line":200,');
      await disk.empty();
      await shown.until('The log files are written again');
      await onDisk.stop();

      expect(pids()).toHaveLength(2);
      expect(shown.text).toBe(
        'The log files cannot be written (ENOSPC: no space left on device, write); everything else continues\n' +
          'The log files are written again\n',
      );
      for (const name of ['lamp', 'heater']) {
        const log = await readFile(join(disk.folder, `data/logs/${name}.log`), 'utf8');
        const numbers = [...log.matchAll(/^\{"line":(\d+),"text":"x{1000}"\}$/gm)].map(([, number]) =>
          Number(number),
        );
        expect(numbers.length).toBeGreaterThan(100);
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      }
    } finally {
      await disk.unmount();
    }
  });

  it('starts nothing more once it is stopping', async () => {
    await supervisor.stop();
    await expect(supervisor.start(service('lamp'))).rejects.toThrow('Stopped before everything had started');
  });
});

describe('restartPause', () => {
  it('doubles from half a second up to half a minute', () => {
    expect([1, 2, 3, 6, 7, 8, 40].map(restartPauseMillis)).toEqual([
      500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });
});
