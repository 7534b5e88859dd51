"""The filter that estimates as on board: attitude, gyro bias and parameters, sample by sample."""
