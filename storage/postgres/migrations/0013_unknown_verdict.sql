-- A further verdict: unknown.
ALTER TABLE scan_results
  DROP CONSTRAINT scan_results_verdict_check,
  ADD CONSTRAINT scan_results_verdict_check
    CHECK (verdict IN ('clean', 'suspicious', 'dangerous', 'inconclusive', 'unknown'));
