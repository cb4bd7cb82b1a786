// PostgreSQL's settings for a database that shares one machine with the services. They are written to `kedja.conf` at
// every start; an operator's ALTER SYSTEM wins over all of them except those on the command line.

const MB = 2 ** 20;

export interface Machine {
  readonly memoryBytes: number;
}

/** Memory of the machine, or of the container when that is less. */
export function thisMachine(total: number, constrained: number): Machine {
  return { memoryBytes: constrained > 0 && constrained < total ? constrained : total };
}

/** `kedja.conf`. */
export function tuning({ memoryBytes }: Machine): string {
  const settings: Record<string, string> = {
    // Services hold 10-20 connections each; workers multiply that.
    max_connections: '200',
    // An eighth and not the usual quarter: Node and the page cache live here too.
    shared_buffers: megabytes(memoryBytes / 8, 64, 4096),
    effective_cache_size: megabytes(memoryBytes / 2, 256, 262_144),
    // Per sort or hash, and a query may have several.
    work_mem: megabytes(memoryBytes / 512, 4, 32),
    maintenance_work_mem: megabytes(memoryBytes / 32, 64, 512),
    // Short statements: compiling them costs more than it gains.
    jit: 'off',
    // Solid state disks.
    random_page_cost: '1.1',
    effective_io_concurrency: '64',
    // Fewer full-page images under bulk loads; at most this much is replayed after a crash.
    wal_buffers: '16MB',
    min_wal_size: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // This build has pglz alone, which takes about 0.1 ms a page: writes would be slow for seconds after a checkpoint.
    wal_compression: 'off',
    // Queues and outboxes turn their rows over quickly.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.05',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Personal data stays out of the log: no statements, no parameters, no "Key (email)=(...)".
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_line_prefix: "'%m [%p] %a '",
    log_checkpoints: 'off',
    // The secrets are 256 random bits: stretching them would only slow every connection down.
    password_encryption: 'scram-sha-256',
    scram_iterations: '1',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return ['# Written by Kedja at every start; change settings with ALTER SYSTEM.', ...lines, ''].join('\n');
}

/**
 * Settings that an operator must not change: reachable from this machine only, and durable, except for throwaway data.
 */
export function commandLine(port: number, durable: boolean): string[] {
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    external_pid_file: '',
    ...(durable
      ? { fsync: 'on' }
      : {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          // Tests run services of many files side by side, each with its own pools.
          max_connections: '600',
          max_wal_size: '4GB',
          shared_buffers: '256MB',
          // Each round looks through every database, of which tests have many.
          autovacuum_naptime: '60s',
        }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function megabytes(bytes: number, least: number, most: number): string {
  return `${Math.round(Math.min(Math.max(bytes / MB, least), most))}MB`;
}
