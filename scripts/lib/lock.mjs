// A lock between processes: two builds in one folder would write the same files.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './console.mjs';

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Returns the id of the process that holds the lock, or undefined if we have acquired it. */
function tryLock(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  let holder;
  try {
    holder = Number(readFileSync(file, 'utf8'));
  } catch {
    return tryLock(file); // released just now
  }
  // An empty file: its holder is about to write its id. A holder that is not running: it was killed.
  if (holder === 0 || isRunning(holder)) return holder;
  rmSync(file, { force: true });
  return tryLock(file);
}

/** Runs `work` while holding the lock `file`. A lock whose holder was killed is ignored. */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  let waits = false;
  for (let holder = tryLock(file); holder !== undefined; holder = tryLock(file)) {
    if (!waits) say(`Waiting for process ${holder}, which is building in the same folder (${file})`);
    waits = true;
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
