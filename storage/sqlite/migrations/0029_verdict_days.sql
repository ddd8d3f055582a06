-- Verdicts of a user by the times of their scans.
CREATE INDEX scan_results_by_time ON scan_results (user_id, scanned_at, verdict, skip);
