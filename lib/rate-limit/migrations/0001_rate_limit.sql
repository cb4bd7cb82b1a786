-- Counters of requests per client and window, shared by all nodes of a service. Unlogged: they live for a minute, and losing
-- them in a crash only starts the windows anew.
CREATE UNLOGGED TABLE rate_limit (
  scope text NOT NULL,
  client text NOT NULL,
  hits integer NOT NULL,
  window_ends timestamptz NOT NULL,
  PRIMARY KEY (scope, client)
);

CREATE INDEX rate_limit_window_ends ON rate_limit (window_ends);
